import type { TokenUsage } from '@longhaul/protocol';

/** US dollars for a million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
  /** Input that came from the provider's cache. Absent: as `input`. */
  cacheRead?: number;
  /** Input that was written to the cache. Absent: as `input`. */
  cacheWrite?: number;
  /** A dearer tier for the whole request, once its input is longer than `aboveTokens`. */
  long?: LongPromptPrice;
}

export interface LongPromptPrice {
  aboveTokens: number;
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/**
 * What one model call cost, in US dollars.
 *
 * `usage` must be of one call: with a tier for long prompts, the cost of a sum is not the sum of the costs.
 *
 * @example costOf(usage, { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 })
 */
export function costOf(usage: TokenUsage, price: TokenPrice): number {
  const rates = price.long && usage.inputTokens > price.long.aboveTokens ? price.long : price;
  const fresh = Math.max(0, usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens);
  const millionths =
    fresh * rates.input +
    usage.cacheReadTokens * (rates.cacheRead ?? rates.input) +
    usage.cacheWriteTokens * (rates.cacheWrite ?? rates.input) +
    usage.outputTokens * rates.output;
  return millionths / 1_000_000;
}
