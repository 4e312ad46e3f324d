import type { Trigger } from '../budget.ts';
import { countHidden, firstUserMessage } from '../log.ts';
import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from '../strategy.ts';
import { messageCosts, newestMessages, planKeeping } from './keep.ts';

/** Settings of the strategy `middle-removal`. */
export interface MiddleRemovalOptions {
  /** Default: 80 % of the window. */
  trigger?: Trigger;
  /** Share of the message budget for the messages after the first user message that stay. Default 0.1. */
  headShare?: number;
  /** Share of the message budget for the newest messages. Default 0.3. */
  tailShare?: number;
}

/**
 * Hides the middle of the session. The beginning and the end stay, and no model is called. The ledger replaces the
 * hidden messages.
 */
export class MiddleRemovalStrategy implements CompressionStrategy {
  readonly name = 'middle-removal';
  readonly trigger: Trigger;
  readonly #headShare: number;
  readonly #tailShare: number;

  constructor(options: MiddleRemovalOptions = {}) {
    this.trigger = options.trigger ?? { kind: 'threshold', percent: 0.8 };
    this.#headShare = options.headShare ?? 0.1;
    this.#tailShare = options.tailShare ?? 0.3;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const { messageTokens } = input.budget;
    const tail = newestMessages(input, { maxTokens: messageTokens * this.#tailShare });
    const head = oldestMessages(input, messageTokens * this.#headShare);
    const plan = planKeeping(input, new Set([...head, ...tail]), { wantsNarrative: false });
    const removed = countHidden(input.log) + plan.hides.length;
    return { ...plan, narrative: remark(removed) };
  }
}

function remark(removed: number): string {
  return `### Removed from the middle\n${removed} messages between the first and the newest ones. No model summarised them: the facts below are computed from them, and recall reads them.`;
}

/** The first messages after the task, up to the first hidden message: a removed middle stays removed. */
function oldestMessages(input: PlanInput, maxTokens: number): Set<string> {
  const costs = messageCosts(input);
  const hideable = new Set(hideableMessages(input));
  const first = firstUserMessage(input.log.messages);
  const kept = new Set<string>();
  let tokens = 0;
  for (const message of input.log.messages) {
    if (input.marks.hidden.has(message.id)) break;
    if (message === first || !hideable.has(message)) continue;
    tokens += costs.get(message.id) ?? 0;
    if (tokens > maxTokens) break;
    kept.add(message.id);
  }
  return kept;
}
