import { type Trigger, triggerTokens } from '../budget.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { newestMessages, planKeeping } from './keep.ts';

/** Settings of the strategy `proactive-threshold`. */
export interface ProactiveThresholdOptions {
  /** Default: half of the window. */
  trigger?: Trigger;
  /** Share of the tokens at the trigger that stays verbatim. Default 0.3. */
  keepShare?: number;
}

/** Compacts long before the window is full. Keeps the newest share of the tokens, cut at a message boundary. */
export class ProactiveThresholdStrategy implements CompressionStrategy {
  readonly name = 'proactive-threshold';
  readonly trigger: Trigger;
  readonly #keepShare: number;

  constructor(options: ProactiveThresholdOptions = {}) {
    this.trigger = options.trigger ?? { kind: 'threshold', percent: 0.5 };
    this.#keepShare = options.keepShare ?? 0.3;
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const keep = newestMessages(input, { maxTokens: this.#tokensAtTrigger(input) * this.#keepShare });
    return planKeeping(input, keep, { wantsNarrative: true });
  }

  /**
   * Message tokens at the trigger. The current tokens would not do: a second plan right after a compaction would hide
   * more.
   */
  #tokensAtTrigger({ budget }: PlanInput): number {
    const tokens = Math.min(triggerTokens(this.trigger, budget), budget.usableTokens);
    return Math.max(0, tokens - budget.fixedTokens);
  }
}
