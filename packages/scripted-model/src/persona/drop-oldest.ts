import type { ChatCompletionRequest, ChatMessage } from '@longhaul/protocol';
import type { PromptCounter } from '../prompt-counter.ts';

/**
 * Drops messages as Ollama does. It keeps system messages, the last message, and the newest others that fit. Returns
 * undefined if the system messages and the last message do not fit.
 */
export function dropOldest(
  chat: ChatCompletionRequest,
  windowTokens: number,
  counter: PromptCounter,
): ChatMessage[] | undefined {
  const { messages } = chat;
  for (let first = 1; first < messages.length; first += 1) {
    // This server refuses a result without its call, so it is dropped. Ollama's templates keep it.
    if (messages[first]?.role === 'tool') continue;
    const kept = messages.filter(({ role }, index) => index >= first || role === 'system');
    if (counter.count({ ...chat, messages: kept }).promptTokens <= windowTokens) return kept;
  }
  return undefined;
}
