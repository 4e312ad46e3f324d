import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { isTokenCount } from '@longhaul/models';
import type { TokenUsage } from '@longhaul/protocol';

/**
 * Returns the usage that a server reported. Undefined if it reported none, or one that cannot be true: negative, not an
 * integer, or absurdly large. The parts of a number are left out if they are larger than the number.
 */
export function toUsage({ inputTokens, outputTokens }: LanguageModelV4Usage): TokenUsage | undefined {
  // Not every client checks the types.
  const isReported = [inputTokens.total, outputTokens.total].some(
    (total) => (total ?? undefined) !== undefined,
  );
  const input = inputTokens.total ?? 0;
  const output = outputTokens.total ?? 0;
  if (!isReported || !isTokenCount(input) || !isTokenCount(output)) return undefined;
  const cacheReadTokens = partOf(input, inputTokens.cacheRead);
  return {
    inputTokens: input,
    outputTokens: output,
    reasoningTokens: partOf(output, outputTokens.reasoning),
    cacheReadTokens,
    cacheWriteTokens: partOf(input - cacheReadTokens, inputTokens.cacheWrite),
    totalTokens: input + output,
  };
}

function partOf(whole: number, part: number | undefined): number {
  return isTokenCount(part) && part <= whole ? part : 0;
}
