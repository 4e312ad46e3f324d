import type { ChatCompletionRequest } from '@longhaul/protocol';
import { type ApiError, invalidRequest } from './api-error.ts';
import type { PromptCount } from './prompt-counter.ts';
import { requestedMaxTokens } from './request.ts';

export interface Room {
  windowTokens: number;
  /** Maximum tokens that the server writes, whatever the request allows. */
  maxOutputTokens: number;
}

/** Returns OpenAI's error for a request that does not fit, or undefined if it fits. */
export function refusal(
  request: ChatCompletionRequest,
  prompt: PromptCount,
  room: Room,
): ApiError | undefined {
  const completion = requestedMaxTokens(request) ?? 0;
  const total = prompt.promptTokens + completion;
  if (total <= room.windowTokens) return undefined;
  return invalidRequest(
    `This model's maximum context length is ${room.windowTokens} tokens. ${sentences(total, completion, prompt)}`,
    'messages',
    'context_length_exceeded',
  );
}

/** Returns the maximum tokens of the reply. */
export function replyRoom(request: ChatCompletionRequest, prompt: PromptCount, room: Room): number {
  const asked = requestedMaxTokens(request) ?? Number.POSITIVE_INFINITY;
  return Math.min(asked, room.maxOutputTokens, room.windowTokens - prompt.promptTokens);
}

function sentences(total: number, completion: number, { messageTokens, toolTokens }: PromptCount): string {
  const withTools = toolTokens > 0;
  if (completion === 0) {
    const split = withTools ? ` (${messageTokens} in the messages, ${toolTokens} in the functions)` : '';
    return `However, your messages resulted in ${total} tokens${split}. Please reduce the length of the messages${withTools ? ' or functions' : ''}.`;
  }
  const split = withTools
    ? `${messageTokens} in the messages, ${toolTokens} in the functions, and ${completion} in the completion`
    : `${messageTokens} in the messages, ${completion} in the completion`;
  return `However, you requested ${total} tokens (${split}). Please reduce the length of the messages${withTools ? ', functions,' : ''} or completion.`;
}
