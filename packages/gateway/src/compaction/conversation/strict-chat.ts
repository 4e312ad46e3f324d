import { AFTER_RESULTS_TEXT, joinTexts } from '@longhaul/context/engine';
import type { ChatContentPart, ChatMessage } from '@longhaul/protocol';
import type { StrictRoles } from '../types.ts';
import { isSystem, isToolResult } from './conversation.ts';

/** The first user message if the conversation begins without one. */
export const OPENING_TEXT = 'Go on.';

/**
 * Converts messages for strict chat templates: at most one system message, at the beginning; then user and assistant
 * alternate, a user first. The rules are those of the engine's `toStrictRoles`, but images and unknown fields stay. A
 * message that needs no change stays the same object.
 */
export function toStrictChat(messages: readonly ChatMessage[], roles: StrictRoles): ChatMessage[] {
  const start = messages.findIndex((message) => !isSystem(message));
  const head = start === -1 ? [...messages] : messages.slice(0, start);
  const strict: ChatMessage[] = [];
  for (const message of messages.slice(head.length))
    addStrictly(strict, isSystem(message) ? asUser(message) : message);
  if (strict[0]?.role !== 'user') strict.unshift({ role: 'user', content: OPENING_TEXT });
  const [system, ...others] = head;
  if (system === undefined) return strict;
  const joined = others.reduce(join, system);
  if (roles === 'alternate') return [joined, ...strict];
  const [first, ...rest] = strict;
  return first === undefined ? [asUser(joined)] : [join(asUser(joined), first), ...rest];
}

function addStrictly(strict: ChatMessage[], message: ChatMessage): void {
  const last = strict.at(-1);
  const isJoined = last !== undefined && last.role === message.role && canBeJoined(last);
  if (isJoined) strict[strict.length - 1] = join(last, message);
  else if (last !== undefined && isToolResult(last) && message.role === 'user')
    strict.push({ role: 'assistant', content: AFTER_RESULTS_TEXT }, message);
  else strict.push(message);
}

/** Tool results follow the message with their calls, so that message is never joined with another. */
function canBeJoined(message: ChatMessage): boolean {
  const callsTools = (message.tool_calls?.length ?? 0) > 0 || 'function_call' in message;
  return message.role === 'user' || (message.role === 'assistant' && !callsTools);
}

function join(first: ChatMessage, second: ChatMessage): ChatMessage {
  const parts = joinTexts<ChatContentPart>([...partsOf(first), ...partsOf(second)]);
  const [only = { type: 'text', text: '' }] = parts;
  const content = parts.length <= 1 && 'text' in only ? only.text : parts;
  return { ...first, ...second, role: first.role, content };
}

function partsOf({ content }: ChatMessage): ChatContentPart[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

function asUser({ content }: ChatMessage): ChatMessage {
  return { role: 'user', content: content ?? '' };
}
