import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { hostedAccess } from '../access.ts';
import { toPartStream, toThrown } from '../native/part-stream.ts';
import type { StepModel } from '../step-model.ts';
import { createOpenAiClient, type OpenAiModelOptions } from './openai-client.ts';
import { toResponsesContent } from './responses-input.ts';
import { createResponsesParts } from './responses-parts.ts';

const DEFAULT_URL = 'https://api.openai.com/v1';

/** These models reason. Others refuse a request for encrypted reasoning. */
const REASONS = /^(o\d|gpt-[5-9]|codex)(?!.*-chat)/;

/**
 * Creates a client of the Responses API on OpenAI's own SDK. The provider stores nothing of the session, so reasoning
 * is requested in encrypted form and sent back.
 *
 * @throws {LonghaulError} `key_missing` without a required key.
 */
export function createResponsesModel(options: OpenAiModelOptions): StepModel {
  const access = { ...options, baseURL: DEFAULT_URL, ...hostedAccess(options) };
  return {
    async doStream(call) {
      try {
        const answer = await createOpenAiClient(access, call.abortSignal)
          .responses.create({
            model: options.model,
            ...toResponsesContent(call),
            ...(call.maxOutputTokens === undefined ? {} : { max_output_tokens: call.maxOutputTokens }),
            store: false,
            ...cacheKeyOf(call),
            ...(REASONS.test(options.model) ? { include: ['reasoning.encrypted_content'] } : {}),
            stream: true,
          })
          .asResponse();
        return { stream: toPartStream(answer, createResponsesParts(), options.target) };
      } catch (thrown) {
        throw toThrown(thrown);
      }
    },
  };
}

function cacheKeyOf({ providerOptions }: LanguageModelV4CallOptions): { prompt_cache_key?: string } {
  const key = providerOptions?.['openai']?.['promptCacheKey'];
  return typeof key === 'string' ? { prompt_cache_key: key } : {};
}
