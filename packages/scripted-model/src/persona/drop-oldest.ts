import type { ChatCompletionRequest, ChatMessage } from '@longhaul/protocol';
import type { PromptCounter } from '../prompt-counter.ts';

/**
 * As Ollama does: system messages and the last one stay, of the others the newest that fit. Undefined where not even those that stay fit.
 */
export function dropOldest(
  chat: ChatCompletionRequest,
  windowTokens: number,
  counter: PromptCounter,
): ChatMessage[] | undefined {
  const { messages } = chat;
  for (let first = 1; first < messages.length; first += 1) {
    // A result whose call is gone would be refused; Ollama's templates print it all the same.
    if (messages[first]?.role === 'tool') continue;
    const kept = messages.filter(({ role }, index) => index >= first || role === 'system');
    if (counter.count({ ...chat, messages: kept }).promptTokens <= windowTokens) return kept;
  }
  return undefined;
}
