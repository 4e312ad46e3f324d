import { handleOf, LonghaulError, type Message } from '@longhaul/protocol';
import type { Budget, Trigger } from '../budget.ts';
import { isUserMessage } from '../log.ts';
import { withoutHeadings } from '../narrative.ts';
import { readSelection, type Selection } from '../selection/read-selection.ts';
import type { SelectRequest } from '../selection/select.ts';
import { selectRequest } from '../selection/select-request.ts';
import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from '../strategy.ts';
import { messageCosts, newestMessages, planKeeping } from './keep.ts';

/** Settings of the strategy `pruning-agent`. */
export interface PruningAgentOptions {
  /** Default: 80 % of the window. */
  trigger?: Trigger;
  /** Number of newest messages that always stay, from 3 to 5. Default 5. */
  recentMessagesToKeep?: number;
  /** Characters of a tool output that the model sees, if there is room. Default 2,000. */
  outputChars?: number;
}

/** Shares of the message budget: for the newest messages, for all messages that stay, and for the narrative. */
const RECENT_SHARE = 0.35;
const KEPT_SHARE = 0.5;
const NARRATIVE_SHARE = 0.25;
const MIN_NARRATIVE_TOKENS = 150;
const MAX_NARRATIVE_TOKENS = 2_000;
/** The last three messages stay, unless they alone exceed `KEPT_SHARE`. */
const LEAST_RECENT = 3;

/**
 * A second model selects the messages to keep, condenses some others and writes the summary. Its answer is checked and
 * never trusted: the task, the newest messages and pinned messages stay, unknown ids are ignored, and no more messages
 * stay than fit. Without a usable answer, the newest messages and the ledger stay.
 */
export class PruningAgentStrategy implements CompressionStrategy {
  readonly name = 'pruning-agent';
  readonly trigger: Trigger;
  readonly #recentMessages: number;
  readonly #outputChars: number | undefined;

  constructor(options: PruningAgentOptions = {}) {
    this.trigger = options.trigger ?? { kind: 'threshold', percent: 0.8 };
    this.#recentMessages = Math.min(5, Math.max(LEAST_RECENT, options.recentMessagesToKeep ?? 5));
    this.#outputChars = options.outputChars;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const recent = this.#recent(input);
    const request = selectRequest(input, recent, this.#outputChars);
    const older = hideableMessages(input).filter(({ id }) => !recent.has(id));
    // A model would have nothing to leave out.
    if (older.length === 0) return planKeeping(input, recent, { wantsNarrative: false });
    const answer = await askForSelection(input, request);
    if (answer.status === 'failed') return fallback(input, recent, answer.reason);
    const read = readSelection(answer.text, request.conversation);
    if (read.status === 'unreadable') return fallback(input, recent, read.reason);
    return planSelected(input, recent, read);
  }

  #recent(input: PlanInput): Set<string> {
    const { messageTokens } = input.budget;
    const recent = newestMessages(input, {
      maxTokens: messageTokens * RECENT_SHARE,
      maxMessages: this.#recentMessages,
    });
    const least = newestMessages(input, {
      maxTokens: messageTokens * KEPT_SHARE,
      maxMessages: LEAST_RECENT,
    });
    return new Set([...recent, ...least]);
  }
}

/** Rethrows a cancel only. */
async function askForSelection({ select, signal }: PlanInput, request: SelectRequest) {
  if (select === undefined) return { status: 'failed', reason: 'there is no model to select' } as const;
  try {
    return await select(request);
  } catch (error) {
    if (signal?.aborted === true || (error instanceof LonghaulError && error.code === 'cancelled'))
      throw error;
    return { status: 'failed', reason: error instanceof Error ? error.message : String(error) } as const;
  }
}

function fallback(input: PlanInput, recent: ReadonlySet<string>, reason: string): CompactionPlan {
  const warning = `No selection: ${reason}. The last ${recent.size} messages and the ledger stay.`;
  return planKeeping(input, recent, { wantsNarrative: false, warnings: [warning] });
}

function planSelected(
  input: PlanInput,
  recent: ReadonlySet<string>,
  { selection, warnings }: { selection: Selection; warnings: readonly string[] },
): CompactionPlan {
  const byHandle = new Map(hideableMessages(input).map((message) => [handleOf(message.sequence), message]));
  const messagesOf = (ids: readonly string[]) =>
    ids.map((id) => byHandle.get(id)).filter((message) => message !== undefined);
  const kept = withinBudget(input, recent, messagesOf(selection.keep));
  const narrative = narrativeOf(selection, (id) => {
    const message = byHandle.get(id);
    return message !== undefined && !kept.has(message.id);
  });
  return planKeeping(input, kept, {
    wantsNarrative: false,
    warnings,
    narrative: narrative === '' ? undefined : withoutHeadings(narrative),
    narrativeTokens: narrativeTokens(input.budget),
  });
}

function narrativeTokens({ messageTokens }: Budget): number {
  const share = Math.floor(messageTokens * NARRATIVE_SHARE);
  return Math.max(MIN_NARRATIVE_TOKENS, Math.min(MAX_NARRATIVE_TOKENS, share));
}

/** The newest messages that the model keeps, as many as fit beside the newest messages. User messages come first. */
function withinBudget(
  input: PlanInput,
  recent: ReadonlySet<string>,
  chosen: readonly Message[],
): Set<string> {
  const costs = messageCosts(input);
  const kept = new Set(recent);
  let tokens = [...recent].reduce((sum, id) => sum + (costs.get(id) ?? 0), 0);
  const newestFirst = chosen.toSorted((left, right) => right.sequence - left.sequence);
  const users = newestFirst.filter(isUserMessage);
  for (const message of [...users, ...newestFirst.filter((other) => !isUserMessage(other))]) {
    const cost = costs.get(message.id) ?? 0;
    if (kept.has(message.id) || tokens + cost > input.budget.messageTokens * KEPT_SHARE) continue;
    kept.add(message.id);
    tokens += cost;
  }
  return kept;
}

const MAX_CONDENSED_CHARS = 600;

/** Each condensed message is listed with its handle, so that its full text can be read. */
function narrativeOf({ summary, condense }: Selection, isHidden: (id: string) => boolean): string {
  const lines = condense
    .filter(({ id, text }) => isHidden(id) && text.length <= MAX_CONDENSED_CHARS)
    .map(({ id, text }) => `- (${id}) ${text.replace(/\s+/g, ' ')}`);
  const condensed = lines.length === 0 ? '' : `Condensed messages:\n${lines.join('\n')}`;
  return [summary, condensed].filter((text) => text !== '').join('\n\n');
}
