import type { LanguageModelV4, SharedV4ProviderOptions } from '@ai-sdk/provider';
import { LonghaulError } from '@longhaul/protocol';
import { reasoningDetails } from '../reasoning-details.ts';
import type { ProviderKind } from '../wire-profile.ts';

export interface LanguageModelOptions {
  kind: ProviderKind;
  provider: string;
  model: string;
  baseUrl?: string;
  apiKey?: string;
  fetch: typeof globalThis.fetch;
}

/** Options sent with every call. */
export const CALL_OPTIONS: Partial<Record<ProviderKind, SharedV4ProviderOptions>> = {
  // The provider stores nothing of the session. With this option, the SDK requests the reasoning of reasoning models in
  // encrypted form, so that it can be sent back.
  openai: { openai: { store: false } },
};

const LOCAL_URLS: Partial<Record<ProviderKind, string>> = {
  lmstudio: 'http://127.0.0.1:1234/v1',
  ollama: 'http://127.0.0.1:11434/v1',
};

/**
 * Loads only the provider in use, because each takes 20 to 80 ms to import.
 *
 * @throws {LonghaulError} `model_not_configured`, `config_invalid`.
 */
export async function loadLanguageModel(options: LanguageModelOptions): Promise<LanguageModelV4> {
  const { kind, provider, model, apiKey, fetch } = options;
  const baseURL = options.baseUrl ?? LOCAL_URLS[kind];
  if (kind === 'openai-compatible' || kind === 'lmstudio' || kind === 'ollama') {
    if (baseURL === undefined) throw missingBaseUrl(provider);
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const metadataExtractor = reasoningDetails;
    const settings = { name: provider, baseURL, apiKey, includeUsage: true, metadataExtractor, fetch };
    return createOpenAICompatible(settings)(model);
  }
  const settings = { ...hostedAccess(options), fetch };
  if (kind === 'anthropic') return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
  if (kind === 'google') return (await import('@ai-sdk/google')).createGoogle(settings)(model);
  return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model);
}

/**
 * Returns the address and key of a hosted API. A custom address may need no key. The provider's own address needs one,
 * but would report that only after a request.
 */
function hostedAccess({ provider, baseUrl, apiKey }: LanguageModelOptions): {
  apiKey: string;
  baseURL?: string;
} {
  if (baseUrl !== undefined) return { apiKey: apiKey ?? 'none', baseURL: baseUrl };
  if (apiKey === undefined || apiKey === '') {
    throw new LonghaulError(
      'model_not_configured',
      `The provider "${provider}" needs an API key, but none is set. Set providers.${provider}.apiKey in longhaul.yml, or the provider's own environment variable.`,
      { data: { provider } },
    );
  }
  return { apiKey };
}

function missingBaseUrl(provider: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `The provider "${provider}" is OpenAI-compatible and needs its address. Set providers.${provider}.baseUrl in longhaul.yml, or --base-url, to something like http://127.0.0.1:8080/v1.`,
    { data: { provider } },
  );
}
