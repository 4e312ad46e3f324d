import type { Trigger } from '../budget.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { newestMessages, planKeeping } from './keep.ts';

/** Settings of the strategy `reactive-overflow`. */
export interface ReactiveOverflowOptions {
  /** Default: when the next request would no longer fit. */
  trigger?: Trigger;
  /** Number of turns that stay verbatim, as far as the token cap allows. Default 2. */
  preserveLastNTurns?: number;
  /** Share of the message budget that the verbatim tail may take. Default 0.24. */
  tailShare?: number;
}

/**
 * Compacts when the next request would no longer fit. Keeps the last turns within a token cap, or the last steps of a
 * turn that is larger than the cap. The first and the newest user message always stay.
 */
export class ReactiveOverflowStrategy implements CompressionStrategy {
  readonly name = 'reactive-overflow';
  readonly trigger: Trigger;
  readonly #maxTurns: number;
  readonly #tailShare: number;

  constructor(options: ReactiveOverflowOptions = {}) {
    this.trigger = options.trigger ?? { kind: 'overflow' };
    this.#maxTurns = options.preserveLastNTurns ?? 2;
    this.#tailShare = options.tailShare ?? 0.24;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const maxTokens = input.budget.messageTokens * this.#tailShare;
    const keep = newestMessages(input, { maxTokens, maxTurns: this.#maxTurns });
    return planKeeping(input, keep, { wantsNarrative: true });
  }
}
