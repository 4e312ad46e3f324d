import { type ChatMessage, isFrontEndTask } from '@longhaul/protocol';
import type { ConversationRequest } from '../types.ts';
import { isSystem } from './conversation.ts';

const MAX_MESSAGES = 2;
const SHORT_ANSWER_TOKENS = 1_000;

/**
 * A front-end's request beside the conversation: a title, tags, proposals of what to ask next. It holds the chat as one text, asks for a
 * few words, and nobody goes on from it.
 */
export function isSideRequest({ messages, maxTokens, tools }: ConversationRequest): boolean {
  const asked = messages.filter((message) => !isSystem(message));
  if (asked.length === 0 || asked.length > MAX_MESSAGES || (tools?.length ?? 0) > 0) return false;
  const isShort = maxTokens !== undefined && maxTokens <= SHORT_ANSWER_TOKENS;
  return isShort || asked.some((message) => isFrontEndTask(textOf(message)));
}

function textOf({ content }: ChatMessage): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map((part) => ('text' in part ? part.text : '')).join('\n');
}
