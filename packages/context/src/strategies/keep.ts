import { beginsTurn } from '@longhaul/protocol';
import { newestRequests } from '../log.ts';
import { type CompactionPlan, hideableMessages, type PlanInput } from '../strategy.ts';
import { cutLargeUserMessages } from './cut-large-user-messages.ts';

/** Returns the tokens of each message of the view, by its id. */
export function messageCosts({ entries, meter }: PlanInput): ReadonlyMap<string, number> {
  const costs = new Map<string, number>();
  for (const { source, message } of entries)
    if (source !== undefined) costs.set(source.id, meter.messageTokens(message));
  return costs;
}

/** How many of the newest messages stay. */
export interface TailLimits {
  /** A single message may have more. */
  maxTokens: number;
  maxMessages?: number;
  /** The newest turn counts as one. */
  maxTurns?: number;
}

/**
 * Returns the ids of the newest messages within the limits, and always of the last one. A boundary between messages
 * never separates a call from its result, because they are one part.
 */
export function newestMessages(input: PlanInput, limits: TailLimits): Set<string> {
  const { maxTokens, maxMessages = Number.POSITIVE_INFINITY, maxTurns = Number.POSITIVE_INFINITY } = limits;
  const costs = messageCosts(input);
  const kept = new Set<string>();
  let turns = 0;
  let tokens = 0;
  for (const message of hideableMessages(input).toReversed()) {
    tokens += costs.get(message.id) ?? 0;
    if (kept.size > 0 && (tokens > maxTokens || kept.size >= maxMessages)) break;
    kept.add(message.id);
    if (beginsTurn(message)) turns += 1;
    if (turns >= maxTurns) break;
  }
  return kept;
}

/**
 * Returns a plan that hides all messages except `keep`, the newest requests, and messages that no strategy may hide.
 */
export function planKeeping(
  input: PlanInput,
  keep: ReadonlySet<string>,
  rest: Omit<CompactionPlan, 'hides' | 'marks'>,
): CompactionPlan {
  const messages = hideableMessages(input);
  const kept = new Set([...keep, ...newestRequests(messages).map(({ id }) => id)]);
  const hides = messages.filter((message) => !kept.has(message.id)).map((message) => message.id);
  return { hides, marks: cutLargeUserMessages(input, kept), ...rest };
}
