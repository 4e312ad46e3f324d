import type { TokenUsage } from '@longhaul/protocol';

/** US dollars for a million tokens. */
export interface TokenPrice {
  input: number;
  output: number;
  /** Input from the provider's cache. Default: the price of `input`. */
  cacheRead?: number;
  /** Input that is written to the cache. Default: the price of `input`. */
  cacheWrite?: number;
  /** Higher prices for the whole request if its input is longer than `aboveTokens`. */
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
 * Returns the cost of one model call in US dollars.
 *
 * `usage` must be that of a single call. With higher prices for long prompts, the cost of a sum differs from the sum of
 * the costs.
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
