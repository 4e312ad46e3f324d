import type { TokenUsage } from '@longhaul/protocol';
import type { Attributes } from '@opentelemetry/api';

/** Provider names of the semantic conventions, where they differ from ours. */
const PROVIDERS: Readonly<Record<string, string>> = {
  google: 'gcp.gemini',
  xai: 'x_ai',
  mistral: 'mistral_ai',
};

/** @param model `provider/model`. */
export function modelAttributes(model: string): Attributes {
  const slash = model.indexOf('/');
  const provider = model.slice(0, Math.max(0, slash));
  return {
    'gen_ai.provider.name': PROVIDERS[provider] ?? provider,
    'gen_ai.request.model': model.slice(slash + 1),
  };
}

export function usageAttributes(usage: TokenUsage): Attributes {
  return {
    'gen_ai.usage.input_tokens': usage.inputTokens,
    'gen_ai.usage.output_tokens': usage.outputTokens,
    'gen_ai.usage.reasoning_tokens': usage.reasoningTokens,
    'gen_ai.usage.cache_read.input_tokens': usage.cacheReadTokens,
    'gen_ai.usage.cache_creation.input_tokens': usage.cacheWriteTokens,
  };
}
