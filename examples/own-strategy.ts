/**
 * A strategy of one's own: of the older messages it keeps the steps that changed files, as far as they fit, since what was read can be
 * read again. Set it with
 *
 *     context: { compression: { strategy: ./own-strategy.ts } }
 */
import type { CompactionPlan, CompressionStrategy, PlanInput, Trigger } from '@longhaul/context';

/** Shares of the room for messages: for the newest ones, and for older steps that changed files. */
const NEWEST_SHARE = 0.25;
const CHANGES_SHARE = 0.15;
const CHANGING_TOOLS = /edit|write|patch/;

/** Given `context.compression.options`, and the trigger where the configuration sets one. */
export function createStrategy(options: { trigger?: Trigger }): CompressionStrategy {
  return {
    name: 'keep-changes',
    trigger: options.trigger ?? { kind: 'threshold', percent: 0.7 },
    plan,
    validate: (before, after) => (after.length > before.length ? 'the view grew' : undefined),
  };
}

/** Only names what to hide: the ledger, the narrative, and the rules that hold for all strategies are added to it. */
async function plan({ entries, budget, meter }: PlanInput): Promise<CompactionPlan> {
  let newestTokens = budget.messageTokens * NEWEST_SHARE;
  let changesTokens = budget.messageTokens * CHANGES_SHARE;
  const hides: string[] = [];
  for (const { source, message } of entries.toReversed()) {
    // The summary of an earlier round stands for no message of the session.
    if (source === undefined) continue;
    const tokens = meter.messageTokens(message);
    const isChange = source.parts.some((part) => part.type === 'tool' && CHANGING_TOOLS.test(part.name));
    if (newestTokens >= tokens) newestTokens -= tokens;
    else if (isChange && changesTokens >= tokens) changesTokens -= tokens;
    else hides.unshift(source.id);
    // What is older than the first that did not fit is no longer among the newest.
    if (hides.length > 0) newestTokens = 0;
  }
  return { hides, marks: [], wantsNarrative: true };
}
