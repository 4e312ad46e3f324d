import { compatibleUrl } from '../access.ts';
import { withMarkedParts } from '../cache-marks.ts';
import { toPartStream, toThrown } from '../native/part-stream.ts';
import type { StepModel } from '../step-model.ts';
import { toChatContent } from './chat-messages.ts';
import { createChatParts } from './chat-parts.ts';
import { createOpenAiClient, type OpenAiModelOptions } from './openai-client.ts';

/**
 * Creates a client of the Chat Completions API on OpenAI's own SDK, for compatible servers.
 *
 * @throws {LonghaulError} `config_invalid` without an address.
 */
export function createChatModel(options: OpenAiModelOptions): StepModel {
  const access = { ...options, baseURL: compatibleUrl(options) };
  return {
    async doStream(call) {
      try {
        const answer = await createOpenAiClient(access, call.abortSignal)
          .chat.completions.create({
            model: options.model,
            ...withMarkedParts({ ...toChatContent(call) }),
            ...(call.maxOutputTokens === undefined ? {} : { max_tokens: call.maxOutputTokens }),
            stream: true,
            stream_options: { include_usage: true },
            ...call.providerOptions?.[options.provider],
          })
          .asResponse();
        return { stream: toPartStream(answer, createChatParts(), options.target) };
      } catch (thrown) {
        throw toThrown(thrown);
      }
    },
  };
}
