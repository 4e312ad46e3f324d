import { type ChatMessage, isFrontEndTask } from '@longhaul/protocol';
import type { ConversationRequest } from '../types.ts';
import { isSystem } from './conversation.ts';

const MAX_MESSAGES = 2;
const SHORT_ANSWER_TOKENS = 1_000;

/**
 * Whether a request is a front-end's side task: a title, tags, or suggestions of what to ask next. It contains the chat
 * as one text, requests a short answer, and no later request continues it.
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
