import type { JsonValue, Part, ToolOutputContent } from '@longhaul/protocol';

/** What one of the caller's messages holds, in this package's terms. */
export type MessageReading =
  | { role: 'system'; text: string }
  /** Every part is shown, so that part and content stand at the same place; never empty. */
  | { role: 'user' | 'assistant'; parts: Part[] }
  | { role: 'tool'; results: ToolAnswer[] };

export interface ToolAnswer {
  callId: string;
  /** Never empty. */
  output: ToolOutputContent[];
  isError: boolean;
}

/** What stands in the place of a part or a result: its text, or a call's arguments. */
export type PartChange = { text: string } | { input: JsonValue };

/** A call that has no result yet. */
export interface OpenCall {
  callId: string;
  name: string;
}

/** How messages of one kind are read and written. Pure. `M` is the caller's own type of message. */
export interface MessageFormat<M> {
  read(message: M): MessageReading;
  /** A copy with some of its parts (or, of a tool message, results) changed, by their place in the reading. All else stays as it was. */
  rewrite(message: M, changes: ReadonlyMap<number, PartChange>): M;
  userMessage(text: string): M;
  assistantMessage(text: string): M;
  toolMessage(call: OpenCall, text: string): M;
}

export function textPart(text: string): Part {
  // The view leaves empty texts out; a remark it shows as it is.
  return text === '' ? opaquePart('') : { type: 'text', text, state: 'done' };
}

/** Content that is counted and never changed: reasoning, calls that the provider ran, kinds unknown here. */
export function opaquePart(text: string): Part {
  return { type: 'notice', text, forModel: true };
}

/** Media are only counted: the caller's own message is what is sent. */
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

/** A value that came as JSON or will be sent as it; what is neither counts as nothing. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}
