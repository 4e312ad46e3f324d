import type { ChatCompletionRequest } from '@longhaul/protocol';
import type { ApiError } from './api-error.ts';
import type { PromptCount } from './prompt-counter.ts';
import { requestedMaxTokens } from './request.ts';
import type { Wire } from './wire/wire.ts';

export interface Room {
  windowTokens: number;
  /** Maximum tokens that the server writes, whatever the request allows. */
  maxOutputTokens: number;
}

/** Returns the provider's error for a request that does not fit, or undefined if it fits. */
export function refusal(
  request: ChatCompletionRequest,
  prompt: PromptCount,
  { windowTokens, wire }: Room & { wire: Wire },
): ApiError | undefined {
  const completionTokens = requestedMaxTokens(request) ?? 0;
  if (prompt.promptTokens + completionTokens <= windowTokens) return undefined;
  return wire.refusal({ prompt, completionTokens, windowTokens });
}

/** Returns the maximum tokens of the reply. */
export function replyRoom(request: ChatCompletionRequest, prompt: PromptCount, room: Room): number {
  const asked = requestedMaxTokens(request) ?? Number.POSITIVE_INFINITY;
  return Math.min(asked, room.maxOutputTokens, room.windowTokens - prompt.promptTokens);
}
