import type { LanguageModelV4Usage } from '@ai-sdk/provider';
import { isTokenCount } from '@longhaul/models';

/** Fields for the input from the cache: OpenAI's; then those of Moonshot, DeepSeek, and LiteLLM before Anthropic. */
const CACHE_READ = [
  'prompt_tokens_details.cached_tokens',
  'cached_tokens',
  'prompt_cache_hit_tokens',
  'cache_read_input_tokens',
];

/** OpenRouter's field, and those of LiteLLM. */
const CACHE_WRITE = [
  'prompt_tokens_details.cache_write_tokens',
  'prompt_tokens_details.cache_creation_tokens',
  'cache_creation_input_tokens',
];

/** OpenAI's field, and that of SGLang. */
const REASONING = ['completion_tokens_details.reasoning_tokens', 'reasoning_tokens'];

/** Reads the usage of Chat Completions, with the fields of the servers that deviate from OpenAI's. */
export function fromChatUsage(usage: object | null | undefined): LanguageModelV4Usage {
  const reasoning = firstCount(usage, REASONING);
  const cacheRead = firstCount(usage, CACHE_READ);
  return {
    inputTokens: {
      total: numberAt(usage, 'prompt_tokens'),
      noCache: undefined,
      cacheRead,
      cacheWrite: firstCount(usage, CACHE_WRITE),
    },
    outputTokens: { total: wholeOutput(usage, { reasoning, cacheRead }), text: undefined, reasoning },
  };
}

/**
 * Returns all output, which is billed. `completion_tokens` leaves out reasoning on some servers: xAI reports it beside,
 * and Google's only in the total.
 */
function wholeOutput(
  usage: object | null | undefined,
  { reasoning = 0, cacheRead = 0 }: { reasoning?: number | undefined; cacheRead?: number | undefined },
): number | undefined {
  const output = numberAt(usage, 'completion_tokens');
  if (!isTokenCount(output)) return output;
  const input = numberAt(usage, 'prompt_tokens');
  const total = numberAt(usage, 'total_tokens');
  if (!isTokenCount(input) || !isTokenCount(total)) return reasoning > output ? output + reasoning : output;
  const missing = total - input - output;
  if (missing <= 0) return output;
  const isUnnamed = reasoning === 0 && missing !== cacheRead;
  return missing === reasoning || isUnnamed ? output + missing : output;
}

/** Returns the first credible number that is not 0: some servers send the usual field with 0 beside their own. */
function firstCount(usage: object | null | undefined, paths: readonly string[]): number | undefined {
  const counts = paths.map((path) => numberAt(usage, path)).filter(isTokenCount);
  return counts.find((count) => count > 0) ?? counts[0];
}

function numberAt(usage: object | null | undefined, path: string): number | undefined {
  let value: unknown = usage;
  for (const key of path.split('.')) {
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  }
  return typeof value === 'number' ? value : undefined;
}
