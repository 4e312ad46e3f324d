import { hash } from 'node:crypto';
import type { ChatMessage } from '@longhaul/protocol';

/** Digests by message object. The objects of each request are new, but one request reads them several times. */
const KNOWN = new WeakMap<ChatMessage, string>();

/**
 * Returns a hash of what the model reads of a message. A text and a list with the same text as its only part have the
 * same hash, since clients switch between the two. Fields that no model reads (ids, times, cache marks) are ignored.
 */
export function messageDigest(message: ChatMessage): string {
  const known = KNOWN.get(message);
  if (known !== undefined) return known;
  const digest = hash('sha256', canonicalText(message), 'base64url');
  KNOWN.set(message, digest);
  return digest;
}

const SHORT_CHARS = 12;

/** Returns enough of a message's hash to tell it from the others of an owner. */
export function shortDigest(message: ChatMessage): string {
  return messageDigest(message).slice(0, SHORT_CHARS);
}

/** Extends the hash of a conversation's beginning by the next message. */
export function chainDigest(before: string, digest: string): string {
  return hash('sha256', `${before}${digest}`, 'base64url');
}

export function textDigest(text: string): string {
  return hash('sha256', text, 'base64url');
}

type LegacyMessage = ChatMessage & { function_call?: unknown; refusal?: unknown };

function canonicalText(message: LegacyMessage): string {
  const { role, name, tool_calls, tool_call_id, reasoning_content, function_call, refusal } = message;
  const content = canonicalContent(message.content);
  const rest = [name, tool_calls, tool_call_id, reasoning_content, function_call, refusal];
  const isPlain = rest.every((value) => value === undefined || value === null);
  // Most messages are a role and a text. Writing those as JSON would take as long as hashing them.
  if (isPlain && typeof content === 'string') return `text ${role}\n${content}`;
  return `json ${JSON.stringify([role, content, ...(isPlain ? [] : rest.map((value) => value ?? 0))])}`;
}

function canonicalContent(content: unknown): unknown {
  if (content === undefined || content === null) return '';
  if (!Array.isArray(content)) return content;
  const parts = content.map(canonicalPart);
  return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts;
}

function canonicalPart(part: unknown): unknown {
  if (typeof part !== 'object' || part === null) return part;
  const { type, text } = part as { type?: unknown; text?: unknown };
  return type === 'text' && typeof text === 'string' ? text : part;
}
