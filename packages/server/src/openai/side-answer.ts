import type { ModelDriver } from '@longhaul/core';
import { LonghaulError, ZERO_USAGE } from '@longhaul/protocol';
import type { AnswerPiece } from './answer-text.ts';
import { type ChatRequest, type ClientMessage, textOf } from './chat-request.ts';
import { type CompletionEnd, toChatFinish } from './completion-wire.ts';

/**
 * Answers a front-end's request for a title, tags or follow-up questions with the agent's model, without a session,
 * prompt or tools.
 *
 * @throws {LonghaulError} The failure of the model call.
 */
export async function answerAside(
  driver: ModelDriver,
  { instructions, history, newest, maxTokens }: ChatRequest,
  { signal, write }: { signal: AbortSignal; write: (piece: AnswerPiece) => void },
): Promise<CompletionEnd> {
  const { maxOutputTokens } = driver.info;
  const step = driver.step({
    system: instructions,
    messages: [...history, ...newest].map(toViewMessage),
    tools: [],
    signal,
    ...(maxTokens === undefined ? {} : { maxOutputTokens: Math.min(maxTokens, maxOutputTokens) }),
  });
  for await (const event of step) {
    if (event.type === 'text-delta') write({ kind: 'content', text: event.text });
    if (event.type === 'reasoning-delta') write({ kind: 'reasoning', text: event.text });
    if (event.type === 'error') throw event.error;
    if (event.type !== 'finish') continue;
    return { finishReason: toChatFinish(event.finishReason), usage: event.usage ?? ZERO_USAGE };
  }
  throw new LonghaulError('provider_stream_cut', 'The model stopped before its answer was complete.');
}

function toViewMessage(message: ClientMessage) {
  const content = [{ type: 'text' as const, text: textOf(message) }];
  return message.role === 'assistant'
    ? { role: 'assistant' as const, content }
    : { role: 'user' as const, content };
}
