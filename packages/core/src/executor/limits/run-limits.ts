import type { TokenUsage } from '@longhaul/protocol';

/** What bounds a run. Null: unbounded. */
export interface RunLimits {
  steps: number | null;
  tokens: number | null;
  costUsd: number | null;
  minutes: number | null;
  /** The same calls with the same results so often in a row are a loop. Default 3. */
  repeatedCalls?: number | null;
}

export const NO_LIMITS: RunLimits = { steps: null, tokens: null, costUsd: null, minutes: null };

export interface RunProgress {
  steps: number;
  usage: TokenUsage;
  costUsd: number;
  elapsedMs: number;
}

/** The limit that is reached, in words, or undefined. */
export function reachedLimit(limits: RunLimits, progress: RunProgress): string | undefined {
  if (limits.steps !== null && progress.steps >= limits.steps)
    return `${limits.steps} ${limits.steps === 1 ? 'step' : 'steps'} (limits.steps, --max-steps)`;
  if (limits.tokens !== null && progress.usage.totalTokens >= limits.tokens)
    return `${limits.tokens} tokens (limits.tokens)`;
  if (limits.costUsd !== null && progress.costUsd >= limits.costUsd)
    return `$${limits.costUsd} (limits.costUsd)`;
  if (limits.minutes !== null && progress.elapsedMs >= limits.minutes * 60_000)
    return `${limits.minutes} ${limits.minutes === 1 ? 'minute' : 'minutes'} (limits.minutes)`;
  return undefined;
}
