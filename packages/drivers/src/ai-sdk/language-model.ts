import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { compatibleUrl, hostedAccess, isCompatible, type ModelAccess } from '../access.ts';
import { withMarkedParts } from '../cache-marks.ts';
import { fromChatUsage } from '../chat-usage.ts';
import { reasoningDetails } from '../reasoning-details.ts';
import type { StepModel } from '../step-model.ts';
import type { ProviderKind } from '../wire-profile.ts';

/** Returns the options of a call that do not depend on the conversation. */
export function callOptions(kind: ProviderKind, cacheKey: string | undefined): SharedV4ProviderOptions {
  if (kind !== 'openai') return {};
  // The provider stores nothing of the session. With this option, the SDK requests the reasoning of reasoning models in
  // encrypted form, so that it can be sent back.
  return { openai: { store: false, ...(cacheKey !== undefined && { promptCacheKey: cacheKey }) } };
}

/**
 * Loads only the provider in use, because each takes 20 to 80 ms to import.
 *
 * @throws {LonghaulError} `key_missing`, `config_invalid`.
 */
export async function loadLanguageModel(access: ModelAccess): Promise<StepModel> {
  const { kind, provider, model, apiKey, fetch } = access;
  if (isCompatible(kind)) {
    const baseURL = compatibleUrl(access);
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible');
    const metadataExtractor = reasoningDetails;
    return createOpenAICompatible({
      name: provider,
      baseURL,
      apiKey,
      includeUsage: true,
      metadataExtractor,
      convertUsage: fromChatUsage,
      transformRequestBody: withMarkedParts,
      fetch,
    })(model);
  }
  const settings = { ...hostedAccess(access), fetch };
  if (kind === 'anthropic') return (await import('@ai-sdk/anthropic')).createAnthropic(settings)(model);
  if (kind === 'google') return (await import('@ai-sdk/google')).createGoogle(settings)(model);
  return (await import('@ai-sdk/openai')).createOpenAI(settings).responses(model);
}
