import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import Anthropic from '@anthropic-ai/sdk';
import { hostedAccess, type ModelAccess } from '../access.ts';
import { toPartStream, toThrown } from '../native/part-stream.ts';
import { createSdkFetch, QUIET } from '../native/sdk-fetch.ts';
import { ANTHROPIC_COMPACTION_BETA } from '../provider-compaction.ts';
import type { CallTarget } from '../step-failure.ts';
import type { StepModel } from '../step-model.ts';
import { compactionIn, toMessageParams } from './message-params.ts';
import { createMessageParts } from './message-parts.ts';

const DEFAULT_URL = 'https://api.anthropic.com/v1';

export interface AnthropicModelOptions extends ModelAccess {
  target: CallTarget;
  /** Sent if a request names no limit, because the API requires one. */
  maxOutputTokens: number;
}

/**
 * Creates a client of the Messages API on Anthropic's own SDK.
 *
 * @throws {LonghaulError} `key_missing` without a required key.
 */
export function createAnthropicModel(options: AnthropicModelOptions): StepModel {
  const { apiKey, baseURL = DEFAULT_URL } = hostedAccess(options);
  // A client for each call, because its `fetch` ends with the call's signal.
  const clientFor = (signal: AbortSignal) =>
    new Anthropic({
      ...QUIET,
      baseURL,
      apiKey,
      openTelemetry: false,
      fetch: createSdkFetch({ ...options, keyHeaders: { 'x-api-key': apiKey }, signal }),
    });
  return {
    async doStream(call) {
      try {
        // Not `messages.create`, whose path has `/v1` in it: a configured address already does.
        const answer = await clientFor(signalOf(call))
          .post('/messages', {
            body: {
              model: options.model,
              max_tokens: call.maxOutputTokens ?? options.maxOutputTokens,
              ...toMessageParams(call),
              stream: true,
            },
            stream: true,
            headers:
              compactionIn(call.prompt) === undefined ? {} : { 'anthropic-beta': ANTHROPIC_COMPACTION_BETA },
          })
          .asResponse();
        return { stream: toPartStream(answer, createMessageParts(), options.target) };
      } catch (thrown) {
        throw toThrown(thrown);
      }
    },
  };
}

function signalOf({ abortSignal }: LanguageModelV4CallOptions): AbortSignal {
  return abortSignal ?? new AbortController().signal;
}
