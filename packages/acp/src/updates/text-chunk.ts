import type { SessionUpdate } from '@agentclientprotocol/sdk';

type Kind = 'agent_message_chunk' | 'agent_thought_chunk' | 'user_message_chunk';

/** Returns the update that adds text to a message; none for empty text. */
export function textChunk(sessionUpdate: Kind, text: string, messageId?: string): SessionUpdate[] {
  if (text === '') return [];
  return [{ sessionUpdate, content: { type: 'text', text }, messageId }];
}

/** Returns a message of the agent that is shown to the person and not to the model. */
export function remark(text: string): SessionUpdate[] {
  return textChunk('agent_message_chunk', text, `remark-${crypto.randomUUID()}`);
}
