import type { JsonValue, Part, ToolOutputContent } from '@longhaul/protocol';

/** The content of one of the caller's messages, in this package's terms. */
export type MessageReading =
  | { role: 'system'; text: string }
  /** Not empty. The view shows every part, so that a part and its content have the same index. */
  | { role: 'user' | 'assistant'; parts: Part[] }
  | { role: 'tool'; results: ToolAnswer[] };

export interface ToolAnswer {
  callId: string;
  /** Not empty. */
  output: ToolOutputContent[];
  isError: boolean;
}

/** The new text of a part or result, or the new arguments of a call. */
export type PartChange = { text: string } | { input: JsonValue };

/** A call without a result. */
export interface OpenCall {
  callId: string;
  name: string;
}

/** Reads and writes messages of one kind. Pure. `M` is the caller's own message type. */
export interface MessageFormat<M> {
  read(message: M): MessageReading;
  /**
   * Returns a copy of a message with some parts changed, by their index in the reading. For a tool message, the index
   * is the result's. Everything else stays the same.
   */
  rewrite(message: M, changes: ReadonlyMap<number, PartChange>): M;
  userMessage(text: string): M;
  assistantMessage(text: string): M;
  toolMessage(call: OpenCall, text: string): M;
}

export function textPart(text: string): Part {
  // The view skips empty text parts, but shows an empty notice.
  return text === '' ? opaquePart('') : { type: 'text', text, state: 'done' };
}

/** Creates a part that is counted and never changed: reasoning, calls that the provider ran, and unknown kinds. */
export function opaquePart(text: string): Part {
  return { type: 'notice', text, forModel: true };
}

/** Media are only counted. The request has the caller's own message. */
export function mediaPart(mediaType: string): Part {
  return { type: 'file', mediaType, data: '' };
}

export function callPart(call: OpenCall, input: JsonValue): Part {
  return { type: 'tool', callId: call.callId, name: call.name, input, state: 'pending' };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function stringIn(value: Record<string, unknown>, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' ? found : undefined;
}

/** Converts a value to JSON. A value that JSON does not have becomes null. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}
