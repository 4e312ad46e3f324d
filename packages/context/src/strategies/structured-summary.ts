import type { Trigger } from '../budget.ts';
import {
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from '../strategy.ts';
import { planKeeping } from './keep.ts';
import { SECTIONED_NARRATIVE } from './sectioned-narrative.ts';

/** Messages that `structured-summary` keeps verbatim. */
export const RECENT_MESSAGES_TO_KEEP = 10;

/** Share of what is available at which `structured-summary` fires. */
export const COMPACTION_THRESHOLD_PERCENT = 0.8;

export interface StructuredSummaryOptions {
  /** Default: 80 % of what is available; see `availableTokens`. */
  trigger?: Trigger;
  /** Default 10. */
  recentMessagesToKeep?: number;
}

/**
 * Keeps the last messages, ten unless told otherwise, and has a summary of six fixed sections written of the rest. With no more
 * than those there is nothing old enough, and it hides nothing.
 */
export class StructuredSummaryStrategy implements CompressionStrategy {
  readonly name = 'structured-summary';
  readonly trigger: Trigger;
  readonly #recentMessages: number;

  constructor(options: StructuredSummaryOptions = {}) {
    this.trigger = options.trigger ?? { kind: 'available', percent: COMPACTION_THRESHOLD_PERCENT };
    this.#recentMessages = Math.max(1, options.recentMessagesToKeep ?? RECENT_MESSAGES_TO_KEEP);
  }

  async plan(input: PlanInput): Promise<CompactionPlan> {
    const recent = hideableMessages(input).slice(-this.#recentMessages);
    const keep = new Set(recent.map(({ id }) => id));
    return planKeeping(input, keep, { wantsNarrative: true, narrativeForm: SECTIONED_NARRATIVE });
  }
}
