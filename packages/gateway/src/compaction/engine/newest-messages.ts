import {
  buildLedger,
  type CompactionPlan,
  hideableMessages,
  isUserMessage,
  ledgerTokens,
  messageCosts,
  type PlanInput,
  renderSummary,
} from '@longhaul/context/engine';
import type { Message } from '@longhaul/protocol';
import { restTokensOf } from './compaction-target.ts';
import { DOCUMENT_SHARE, SEPARATOR_TOKENS } from './document-room.ts';

/** Share of the room that is filled. The rest is for errors of estimates. */
const FILLED_SHARE = 0.96;
/** Share of the room that must be filled if the kept messages begin with one of the user. */
const MIN_FILLED_SHARE = 0.9;

export interface KeptMessages {
  /** Ids of messages that stay in any case. */
  kept: ReadonlySet<string>;
  ledgerShare: number;
  /** The plan whose narrative takes a part of the room. */
  plan?: CompactionPlan;
}

/**
 * Returns the ids of the messages that stay: the given ones, and the newest messages, as many as fit beside the summary.
 * They start with a user message unless that would leave much of the room unused. If not even the given ones fit, the
 * oldest of them are left out.
 */
export function keptWithNewest(input: PlanInput, keeping: KeptMessages): Set<string> {
  const { hideable, room: whole } = roomBesideTask(input);
  const room = whole - summaryTokens(input, keeping);
  const kept = newestWithin(
    hideable.filter(({ message }) => keeping.kept.has(message.id)),
    room,
  );
  const left = room - kept.reduce((sum, { cost }) => sum + cost, 0);
  const added = addedWithin(hideable, new Set(kept), { left, documentTokens: documentTokens(input) });
  return new Set([...kept, ...added].map(({ message }) => message.id));
}

/** Returns the room for a narrative if no message but the newest one stays. */
export function roomForNarrative(input: PlanInput, ledgerShare: number): number {
  return roomBesideTask(input).room - frameTokens(input) - ledgerTokens(input.budget, ledgerShare);
}

/** Returns the messages that can be hidden, and the room for them and the summary. */
function roomBesideTask(input: PlanInput): { hideable: Costed[]; room: number } {
  const costs = messageCosts(input);
  // The newest message always stays, in a room of its own.
  const newest = input.log.messages.at(-1)?.id;
  const hideable = hideableMessages(input)
    .filter(({ id }) => id !== newest)
    .map((message) => ({ message, cost: costs.get(message.id) ?? 0 }));
  const all = [...costs].reduce((sum, [id, cost]) => (id === newest ? sum : sum + cost), 0);
  const always = all - hideable.reduce((sum, { cost }) => sum + cost, 0);
  return { hideable, room: restTokensOf(input.budget) * FILLED_SHARE - always };
}

interface Costed {
  message: Message;
  cost: number;
}

/** Returns the newest messages that fit, without a gap. */
function newestWithin(messages: readonly Costed[], room: number): Costed[] {
  let tokens = 0;
  const tooMany = messages.findLastIndex(({ cost }) => {
    tokens += cost;
    return tokens > room;
  });
  return messages.slice(tooMany + 1);
}

/** Returns the newest of the other messages that fit. It passes over a large one, but never over a document. */
function addedWithin(
  hideable: readonly Costed[],
  kept: ReadonlySet<Costed>,
  { left, documentTokens }: { left: number; documentTokens: number },
): Costed[] {
  const added: Costed[] = [];
  let tokens = 0;
  let fromUser = { count: 0, tokens: 0 };
  for (const item of hideable.toReversed()) {
    if (!kept.has(item)) {
      if (tokens + item.cost > left && item.cost > documentTokens) break;
      if (tokens + item.cost > left) continue;
      tokens += item.cost;
      added.push(item);
    }
    if (isUserMessage(item.message)) fromUser = { count: added.length, tokens };
  }
  return fromUser.tokens >= left * MIN_FILLED_SHARE ? added.slice(0, fromUser.count) : added;
}

function documentTokens({ budget }: PlanInput): number {
  return budget.messageTokens * DOCUMENT_SHARE;
}

function summaryTokens(input: PlanInput, { ledgerShare, plan }: Omit<KeptMessages, 'kept'>): number {
  const { count, budget } = input;
  const narrative = count(plan?.narrative ?? input.marks.compaction?.summary.narrative ?? '');
  // The engine shortens a narrative that is far too long.
  const most = plan?.narrativeTokens ?? budget.messageTokens * 0.1;
  return frameTokens(input) + Math.min(narrative, most * 1.5) + estimatedLedgerTokens(input, ledgerShare);
}

/** Tokens of a summary without its narrative and its ledger. */
function frameTokens({ count, round }: PlanInput): number {
  const summary = { ledger: '', narrative: '' };
  return count(renderSummary({ strategy: '', round, summary })) + SEPARATOR_TOKENS;
}

/**
 * A ledger with a fifth of the room is built in a fraction of the time. It shows how much of its room a ledger uses,
 * unless it is so small that no section fits its share.
 */
const PROBE_SHARE = 0.2;
const MIN_PROBE_TOKENS = 500;
/** A large ledger can use more of its room than the probe, since whole lines fit better. */
const PROBE_ERROR = 1.25;

/** Estimates how many tokens of its share the ledger will use. */
function estimatedLedgerTokens(
  { log, budget, count }: Pick<PlanInput, 'log' | 'budget' | 'count'>,
  ledgerShare: number,
): number {
  const maxTokens = ledgerTokens(budget, ledgerShare);
  const probed = Math.max(
    1,
    Math.min(maxTokens, Math.max(MIN_PROBE_TOKENS, Math.floor(maxTokens * PROBE_SHARE))),
  );
  const taken = count(buildLedger(log.messages, { maxTokens: probed, count })) / probed;
  return maxTokens * Math.min(1, taken * PROBE_ERROR);
}
