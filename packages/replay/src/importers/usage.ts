import type { JsonObject, TokenUsage } from '@longhaul/protocol';
import { countAt, objectAt } from './json-fields.ts';

interface Counts {
  input: number;
  output: number;
  reasoning?: number;
  cacheRead?: number;
  cacheWrite?: number;
}

/** Returns a usage whose input includes cached tokens, or undefined if both counts are 0 (a failed call). */
function tokenUsage({
  input,
  output,
  reasoning = 0,
  cacheRead = 0,
  cacheWrite = 0,
}: Counts): TokenUsage | undefined {
  if (input + output === 0) return undefined;
  return {
    inputTokens: input,
    outputTokens: output,
    reasoningTokens: reasoning,
    cacheReadTokens: cacheRead,
    cacheWriteTokens: cacheWrite,
    totalTokens: input + output,
  };
}

/** Anthropic's usage: tokens read from and written to the cache are not part of `input_tokens`. */
export function anthropicUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  const cacheRead = countAt(usage, 'cache_read_input_tokens');
  const cacheWrite = countAt(usage, 'cache_creation_input_tokens');
  const input = countAt(usage, 'input_tokens') + cacheRead + cacheWrite;
  return tokenUsage({ input, output: countAt(usage, 'output_tokens'), cacheRead, cacheWrite });
}

/** Usage of OpenAI's chat completions: cached tokens are part of `prompt_tokens`. */
export function chatUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  return tokenUsage({
    input: countAt(usage, 'prompt_tokens'),
    output: countAt(usage, 'completion_tokens'),
    reasoning: countAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens'),
    cacheRead: countAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens'),
  });
}

/** Codex's usage, which has the form of OpenAI's responses. */
export function codexUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  return tokenUsage({
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
    reasoning: countAt(usage, 'reasoning_output_tokens'),
    cacheRead: countAt(usage, 'cached_input_tokens'),
  });
}

/**
 * Usage of pi and OpenCode: `input` excludes cached tokens. OpenCode's `output` includes reasoning only in some
 * versions.
 */
export function splitUsage(usage: JsonObject | undefined): TokenUsage | undefined {
  const cache = objectAt(usage, 'cache');
  const cacheRead = countAt(usage, 'cacheRead') + countAt(cache, 'read');
  const cacheWrite = countAt(usage, 'cacheWrite') + countAt(cache, 'write');
  const output = countAt(usage, 'output');
  return tokenUsage({
    input: countAt(usage, 'input') + cacheRead + cacheWrite,
    output,
    reasoning: Math.min(output, countAt(usage, 'reasoning')),
    cacheRead,
    cacheWrite,
  });
}
