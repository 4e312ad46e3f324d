import type { CallSettings } from '@longhaul/models';
import { isCompatible, type ModelAccess } from './access.ts';
import { type MendOptions, mendedFetch } from './mending/mended-fetch.ts';
import type { CallTarget } from './step-failure.ts';
import type { StepModel } from './step-model.ts';

export interface LoadModelOptions extends ModelAccess {
  /** Default `ai-sdk`. */
  driver: CallSettings['driver'];
  target: CallTarget;
  info: { maxOutputTokens: number };
  onIgnored: MendOptions['onIgnored'];
}

/**
 * Loads the client of a model, and nothing else.
 *
 * @throws {LonghaulError} `key_missing`, `config_invalid`.
 */
export async function loadModel(given: LoadModelOptions): Promise<StepModel> {
  const { kind, driver = 'ai-sdk', info, target, onIgnored } = given;
  const keepsCompactions = driver === 'native';
  const fetch = mendedFetch(given.fetch, { kind, target, keepsCompactions, onIgnored });
  const options = { ...given, fetch };
  if (driver === 'native' && kind === 'anthropic') {
    const { createAnthropicModel } = await import('./anthropic/anthropic-model.ts');
    return createAnthropicModel({ ...options, maxOutputTokens: info.maxOutputTokens });
  }
  if (driver === 'native' && kind === 'openai') {
    return (await import('./openai/responses-model.ts')).createResponsesModel(options);
  }
  if (driver === 'native' && isCompatible(kind)) {
    return (await import('./openai/chat-model.ts')).createChatModel(options);
  }
  return (await import('./ai-sdk/language-model.ts')).loadLanguageModel(options);
}
