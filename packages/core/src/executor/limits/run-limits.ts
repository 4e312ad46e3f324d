import type { TokenUsage } from '@longhaul/protocol';

/** The limits of a run. Null: no limit. */
export interface RunLimits {
  steps: number | null;
  tokens: number | null;
  costUsd: number | null;
  minutes: number | null;
  /**
   * The same calls with the same results this many times in a row are a loop. Default 3. Null disables the detection.
   */
  repeatedCalls?: number | null;
}

/** No limit of any kind. */
export const NO_LIMITS: RunLimits = { steps: null, tokens: null, costUsd: null, minutes: null };

export interface RunProgress {
  steps: number;
  /** What counts for the limits: an estimate where the server reported nothing credible. */
  usage: TokenUsage;
  costUsd: number;
  elapsedMs: number;
}

/** Returns the reached limit with its unit and its setting, or undefined. */
export function reachedLimit(limits: RunLimits, progress: RunProgress): string | undefined {
  if (limits.steps !== null && progress.steps >= limits.steps)
    return `${limits.steps} ${limits.steps === 1 ? 'step' : 'steps'} (limits.steps)`;
  if (limits.tokens !== null && progress.usage.totalTokens >= limits.tokens)
    return `${limits.tokens} tokens (limits.tokens)`;
  if (limits.costUsd !== null && progress.costUsd >= limits.costUsd)
    return `$${limits.costUsd} (limits.costUsd)`;
  if (limits.minutes !== null && progress.elapsedMs >= limits.minutes * 60_000)
    return describeMinutes(limits.minutes);
  return undefined;
}

export function describeMinutes(minutes: number | null): string {
  return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'} (limits.minutes)`;
}
