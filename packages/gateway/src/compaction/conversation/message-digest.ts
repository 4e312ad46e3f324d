import { hash } from 'node:crypto';
import type { ChatMessage } from '@longhaul/protocol';

/** A request's message objects are new each time; within one request the same are asked for again. */
const KNOWN = new WeakMap<ChatMessage, string>();

/**
 * What a message says, as a hash. A text alone and the same text as the only part of a list are one message, since clients change
 * between the two; so are messages that differ in fields no model reads (ids, times, marks for a cache).
 */
export function messageDigest(message: ChatMessage): string {
  const known = KNOWN.get(message);
  if (known !== undefined) return known;
  const digest = hash('sha256', canonicalText(message), 'base64url');
  KNOWN.set(message, digest);
  return digest;
}

/** Extends the hash of a beginning by its next message. */
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
  // Most messages are a role and a text: to write those as JSON would take as long as to hash them.
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
