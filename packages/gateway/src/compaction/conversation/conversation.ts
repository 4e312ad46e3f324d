import type { ChatMessage } from '@longhaul/protocol';
import { chainDigest, messageDigest } from './message-digest.ts';

/** A request's messages: the system text before the conversation, and the conversation. */
export interface Conversation {
  /** System messages before any other. Front-ends change them from turn to turn (the date, found documents), so no hash reads them. */
  readonly head: readonly ChatMessage[];
  readonly rest: readonly ChatMessage[];
  /** For each message of `rest`, the hash of the conversation up to and with it. */
  readonly chain: readonly string[];
}

export function readConversation(messages: readonly ChatMessage[]): Conversation {
  const start = messages.findIndex((message) => !isSystem(message));
  const head = start === -1 ? messages : messages.slice(0, start);
  const rest = start === -1 ? [] : messages.slice(start);
  let hash = '';
  const chain = rest.map((message) => {
    hash = chainDigest(hash, messageDigest(message));
    return hash;
  });
  return { head, rest, chain };
}

export function isSystem({ role }: ChatMessage): boolean {
  return role === 'system' || role === 'developer';
}

/** Results at the end, which no answer has been given to yet. */
export function newToolResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.findLastIndex((message) => !isToolResult(message));
  return messages.slice(last + 1);
}

/** All but what every compaction keeps: the first question, the newest, and what is behind that one or just being answered. */
export function hideableMessages({ rest }: Conversation): readonly ChatMessage[] {
  const newest = rest.findLastIndex((message) => !isToolResult(message));
  const first = rest.findIndex(({ role }) => role === 'user');
  const question = rest.findLastIndex(({ role }) => role === 'user');
  return rest.filter(
    (message, index) => index < newest && index !== first && index !== question && !isSystem(message),
  );
}

/** `function` is what `tool` was called before there were several calls in one message. */
export function isToolResult({ role }: { role: string }): boolean {
  return role === 'tool' || role === 'function';
}
