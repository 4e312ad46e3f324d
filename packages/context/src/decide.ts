import { LonghaulError } from '@longhaul/protocol';
import { type Budget, MIN_OUTPUT_ROOM_TOKENS, outputRoom, triggerTokens } from './budget.ts';
import { activeMarks, type ContextLog, isNewestCompactionUndone, liveLog } from './log.ts';
import { type PruneResult, pruneOldToolOutputs } from './prune.ts';
import type { RequestMeter } from './request-size.ts';
import type { CompressionStrategy } from './strategy.ts';
import { buildView, type ViewEntry } from './view.ts';
import type { ViewKeeper } from './view-keeper.ts';

/** The settings that keep a session's context small. */
export interface ContextPolicy {
  strategy: CompressionStrategy;
  /** If false, a request that does not fit is an error. */
  auto: boolean;
  /** Share of the message budget that the ledger may take. */
  ledgerShare: number;
  /** Default: `PRUNE_PROTECT` and `PRUNE_MINIMUM`, scaled to the window. */
  pruneProtectTokens?: number;
  pruneMinimumTokens?: number;
  /** Tools whose outputs are never pruned. */
  protectedTools: ReadonlySet<string>;
}

/** A session at one moment: everything that a decision depends on. */
export interface ContextState {
  log: ContextLog;
  budget: Budget;
  meter: RequestMeter;
  policy: ContextPolicy;
  /** Kept by the caller between the steps of one session. Without it, the view is built from the whole log. */
  views?: ViewKeeper;
  /** Below this size, compaction was useless. It is not due before, as long as the request can be sent. */
  dueFrom?: number;
}

/** Whether a request is sent, compacted first, or refused. */
export type RequestDecision =
  /** The request can be sent as it is. `mediaTokens` is the part of the prediction for images and files. */
  | {
      action: 'send';
      entries: ViewEntry[];
      predictedTokens: number;
      mediaTokens: number;
      maxOutputTokens: number;
    }
  /** Make room first. */
  | { action: 'compact'; entries: ViewEntry[]; predictedTokens: number; mediaTokens: number }
  /** The request does not fit, and compaction is switched off. */
  | { action: 'refuse'; error: LonghaulError };

/** A request that fits its window and can be sent. */
export type FittedRequest = Extract<RequestDecision, { action: 'send' }>;

/**
 * Decides what happens before a request. Everything that sends one (the agent, a replay, the gateway) calls this.
 * Compacts at exactly the trigger, or if too little room would be left for an answer.
 */
export function decideRequest({
  log,
  budget,
  meter,
  policy,
  views,
  dueFrom = 0,
}: ContextState): RequestDecision {
  const entries = views?.entriesOf(log) ?? buildView(log);
  const predictedTokens = meter.requestTokens(entries, budget.fixedTokens);
  const room = outputRoom(predictedTokens, budget);
  const leastRoom = leastOutputRoom(budget);
  // An estimate that is too low must not get the request refused. The margin costs room for the answer, but never
  // causes a compaction.
  const surely = outputRoom(predictedTokens + meter.marginTokens(predictedTokens), budget);
  const maxOutputTokens = Math.max(surely, Math.min(room, leastRoom));
  const mediaTokens = meter.mediaTokens(entries);
  const send = { action: 'send', entries, predictedTokens, mediaTokens, maxOutputTokens } as const;
  if (!policy.auto) {
    return predictedTokens > budget.usableTokens
      ? { action: 'refuse', error: compactionIsOff(predictedTokens, budget) }
      : send;
  }
  const due = Math.max(dueTokens(log, policy.strategy, budget), Math.min(dueFrom, budget.usableTokens));
  const isDue = predictedTokens >= due;
  if (isDue || room < leastRoom) return { action: 'compact', entries, predictedTokens, mediaTokens };
  return send;
}

/**
 * Returns the tokens of a request at which the next automatic compaction is due. It is due later than at the trigger if
 * the newest compaction was undone, or if the newest compaction ended near the trigger.
 */
export function dueTokens(
  log: Pick<ContextLog, 'marks'>,
  strategy: Pick<CompressionStrategy, 'trigger'>,
  budget: Budget,
): number {
  const trigger = triggerTokens(strategy.trigger, budget);
  if (isNewestCompactionUndone(log.marks)) return Math.max(trigger, budget.usableTokens);
  const { compaction } = activeMarks(log.marks);
  const reached = compaction === undefined ? 0 : nextDue(compaction.tokensAfter);
  return Math.max(trigger, Math.min(budget.usableTokens, reached));
}

/**
 * After a compaction ended at this size, or failed at it, the next one is due when the request has grown by a sixth.
 */
export function nextDue(tokens: number): number {
  return Math.ceil(tokens * (7 / 6));
}

function leastOutputRoom({ maxOutputTokens, windowTokens }: Budget): number {
  return Math.min(MIN_OUTPUT_ROOM_TOKENS, maxOutputTokens, Math.floor(windowTokens / 8));
}

function compactionIsOff(tokens: number, budget: Budget): LonghaulError {
  return new LonghaulError(
    'context_overflow',
    `The next request would have ${tokens} tokens, but only ${budget.usableTokens} fit, and automatic compaction is off ` +
      '(context.compression.auto). Turn it on, or compact the session yourself.',
  );
}

/**
 * Shares of the trigger between which pruning is considered. Below them there is enough room; above them a compaction
 * does it better.
 */
const PRUNE_FROM = 0.5;
const COMPACTION_IS_NEAR = 0.9;

/**
 * Decides which old outputs to hide after a step. Hiding one makes the provider read everything after it again,
 * uncached. So only a batch is worth it that saves at least twice the tokens that are read again.
 */
export function decidePruning({ log, budget, meter, policy, views }: ContextState): PruneResult {
  const nothing: PruneResult = { targets: [], savedTokens: 0 };
  const entries = views?.entriesOf(log) ?? buildView(log);
  const tokens = meter.requestTokens(entries, budget.fixedTokens);
  const fullness = tokens / triggerTokens(policy.strategy.trigger, budget);
  if (!policy.auto || fullness < PRUNE_FROM || fullness > COMPACTION_IS_NEAR) return nothing;
  const result = pruneOldToolOutputs(liveLog(log), {
    windowTokens: budget.windowTokens,
    protectedTools: policy.protectedTools,
    protectTokens: policy.pruneProtectTokens,
    minimumTokens: policy.pruneMinimumTokens,
  });
  const first = entries.findIndex((entry) => entry.source?.id === result.targets[0]?.messageId);
  if (first === -1) return nothing;
  const behind = entries.slice(first).reduce((sum, entry) => sum + meter.messageTokens(entry.message), 0);
  return 2 * (behind - result.savedTokens) <= result.savedTokens ? result : nothing;
}
