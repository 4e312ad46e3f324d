/**
 * A custom strategy. Of the older messages it keeps the steps that changed files, as far as they fit: a file that was
 * only read can be read again. Set it with
 *
 * context: { compression: { strategy: ./own-strategy.ts } }
 */
import type { CompactionPlan, CompressionStrategy, PlanInput, Trigger } from '@longhaul/context';

/** Shares of the message budget for the newest messages and for older steps that changed files. */
const NEWEST_SHARE = 0.25;
const CHANGES_SHARE = 0.15;
const CHANGING_TOOLS = /edit|write|patch/;

/** Receives `context.compression.options`, and `trigger` if the configuration sets one. */
export function createStrategy(options: { trigger?: Trigger }): CompressionStrategy {
  return {
    name: 'keep-changes',
    trigger: options.trigger ?? { kind: 'threshold', percent: 0.7 },
    plan,
    validate: (before, after) => (after.length > before.length ? 'the view grew' : undefined),
  };
}

/** Names only what to hide. The engine adds the ledger and the narrative, and applies the rules for every strategy. */
async function plan({ entries, budget, meter }: PlanInput): Promise<CompactionPlan> {
  let newestTokens = budget.messageTokens * NEWEST_SHARE;
  let changesTokens = budget.messageTokens * CHANGES_SHARE;
  const hides: string[] = [];
  for (const { source, message } of entries.toReversed()) {
    // The summary of an earlier round is not a message of the session.
    if (source === undefined) continue;
    const tokens = meter.messageTokens(message);
    const isChange = source.parts.some((part) => part.type === 'tool' && CHANGING_TOOLS.test(part.name));
    if (newestTokens >= tokens) newestTokens -= tokens;
    else if (isChange && changesTokens >= tokens) changesTokens -= tokens;
    else hides.unshift(source.id);
    // After the first message that did not fit, no older one counts as new.
    if (hides.length > 0) newestTokens = 0;
  }
  return { hides, marks: [], wantsNarrative: true };
}
