import { type ApiError, invalidRequest } from '../api-error.ts';
import { toChunks, toCompletion } from '../completion.ts';
import type { Excess, Wire } from './wire.ts';

/** OpenAI's Chat Completions. */
export const CHAT_WIRE: Wire = {
  path: '/v1/chat/completions',
  toChat: (body) => body,
  complaint: () => undefined,
  compact: () => undefined,
  refusal: (excess) =>
    invalidRequest(
      `This model's maximum context length is ${excess.windowTokens} tokens. ${sentences(excess)}`,
      'messages',
      'context_length_exceeded',
    ),
  errorBody: (error) => error.body,
  stream: ({ head, reply, usage }, options) => [
    ...toChunks(head, reply, usage, options).map((chunk) => sse(JSON.stringify(chunk))),
    sse('[DONE]'),
  ],
  whole: ({ head, reply, usage }) => toCompletion(head, reply, usage),
  errorEvent: (error: ApiError) => sse(JSON.stringify(error.body)),
};

function sse(data: string): string {
  return `data: ${data}\n\n`;
}

function sentences({ prompt, completionTokens }: Excess): string {
  const { promptTokens, messageTokens, toolTokens } = prompt;
  const total = promptTokens + completionTokens;
  const withTools = toolTokens > 0;
  if (completionTokens === 0) {
    const split = withTools ? ` (${messageTokens} in the messages, ${toolTokens} in the functions)` : '';
    return `However, your messages resulted in ${total} tokens${split}. Please reduce the length of the messages${withTools ? ' or functions' : ''}.`;
  }
  const split = withTools
    ? `${messageTokens} in the messages, ${toolTokens} in the functions, and ${completionTokens} in the completion`
    : `${messageTokens} in the messages, ${completionTokens} in the completion`;
  return `However, you requested ${total} tokens (${split}). Please reduce the length of the messages${withTools ? ', functions,' : ''} or completion.`;
}
