import type { ChatMessage } from '@longhaul/protocol';

/**
 * Adds an empty `reasoning_content` to answers without one, if the client's answers have the field. Some servers
 * (DeepSeek, Moonshot) refuse a conversation in which an answer lacks it, and the gateway's own answers have none.
 *
 * @param received The client's messages. They are never changed.
 */
export function withReasoningField(
  messages: readonly ChatMessage[],
  received: ReadonlySet<ChatMessage>,
): ChatMessage[] {
  const isUsed = [...received].some((message) => typeof message.reasoning_content === 'string');
  if (!isUsed) return [...messages];
  return messages.map((message) => {
    const lacks = message.role === 'assistant' && message.reasoning_content === undefined;
    return lacks && !received.has(message) ? { ...message, reasoning_content: '' } : message;
  });
}
