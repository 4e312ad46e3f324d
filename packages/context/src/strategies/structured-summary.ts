import { ledgerTokens, type Trigger, triggerTokens } from '../budget.ts';
import type { CompactionPlan, CompressionStrategy, PlanInput } from '../strategy.ts';
import { newestMessages, planKeeping } from './keep.ts';
import { SECTIONED_NARRATIVE } from './sectioned-narrative.ts';

/** Number of messages that `structured-summary` keeps verbatim. */
export const RECENT_MESSAGES_TO_KEEP = 10;

/** Share of the room beside the summary that the kept messages may take. */
const RECENT_SHARE = 0.6;

/** Share of the available tokens at which `structured-summary` compacts. */
export const COMPACTION_THRESHOLD_PERCENT = 0.8;

/** Settings of the strategy `structured-summary`. */
export interface StructuredSummaryOptions {
  /** Default: 80 % of the available tokens; see `availableTokens`. */
  trigger?: Trigger;
  /** Default 10. */
  recentMessagesToKeep?: number;
}

/**
 * Keeps the last messages, by default ten, and replaces the others by a summary of six fixed sections. If there are no
 * others, it hides nothing.
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

  /**
   * In a small window, ten messages can exceed the room. The kept messages leave room for the summary and the next
   * steps.
   */
  #roomForRecent({ budget }: PlanInput): number {
    const trigger = Math.min(triggerTokens(this.trigger, budget), budget.usableTokens);
    const room = trigger - budget.fixedTokens - ledgerTokens(budget) - SECTIONED_NARRATIVE.maxTokens;
    return Math.max(0, room * RECENT_SHARE);
  }
}
