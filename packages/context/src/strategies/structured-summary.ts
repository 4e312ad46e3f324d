import { ledgerTokens, type Trigger, triggerTokens } from '../budget.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { newestMessages, planKeeping } from './keep.ts';
import { SECTIONED_NARRATIVE } from './sectioned-narrative.ts';

/** Messages that `structured-summary` keeps verbatim. */
export const RECENT_MESSAGES_TO_KEEP = 10;

/** Share of the room beside the summary that they may take. */
const RECENT_SHARE = 0.6;

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
    const maxTokens = this.#roomForRecent(input);
    const keep = newestMessages(input, { maxTokens, maxMessages: this.#recentMessages });
    return planKeeping(input, keep, { wantsNarrative: true, narrativeForm: SECTIONED_NARRATIVE });
  }

  /** In a small window ten messages can be more than all that fits: as many stay as leave room for the summary and the next steps. */
  #roomForRecent({ budget }: PlanInput): number {
    const trigger = Math.min(triggerTokens(this.trigger, budget), budget.usableTokens);
    const room = trigger - budget.fixedTokens - ledgerTokens(budget) - SECTIONED_NARRATIVE.maxTokens;
    return Math.max(0, room * RECENT_SHARE);
  }
}
