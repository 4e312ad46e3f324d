import type { ChatMessage } from '@longhaul/protocol';
import { chainDigest, messageDigest } from './message-digest.ts';

/** A request's messages, split into leading system text and conversation. */
export interface Conversation {
  /**
   * Leading system messages. Front-ends change them from turn to turn (the date, found documents), so no hash includes
   * them.
   */
  readonly head: readonly ChatMessage[];
  /** All other messages. */
  readonly rest: readonly ChatMessage[];
  /** For each message of `rest`, the hash of the conversation up to and including it. */
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

/** Returns the tool results at the end, which the model has not answered yet. */
export function newToolResults(messages: readonly ChatMessage[]): readonly ChatMessage[] {
  const last = messages.findLastIndex((message) => !isToolResult(message));
  return messages.slice(last + 1);
}

/**
 * Returns the messages that a compaction may hide: those before the newest message that is not a tool result, except
 * system messages and the first and the last user message.
 */
export function hideableMessages({ rest }: Conversation): readonly ChatMessage[] {
  const newest = rest.findLastIndex((message) => !isToolResult(message));
  const first = rest.findIndex(({ role }) => role === 'user');
  const question = rest.findLastIndex(({ role }) => role === 'user');
  return rest.filter(
    (message, index) => index < newest && index !== first && index !== question && !isSystem(message),
  );
}

/** `function` is the older name of `tool`, from when a message had at most one call. */
export function isToolResult({ role }: { role: string }): boolean {
  return role === 'tool' || role === 'function';
}
