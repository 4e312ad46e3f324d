import { isDeepStrictEqual } from 'node:util';
import type { EventPayload, Part } from '@longhaul/protocol';

/** The joined texts of a message. */
export interface MessageTexts {
  text: string;
  reasoning: string;
}

/** What an event reports: a part, or the texts of a message. */
export type EventSource = Part | MessageTexts;

/**
 * Returns the event without the fields that repeat its source, which is stored too. Undefined if it does not repeat
 * all of them.
 */
export function withoutCopies(payload: EventPayload, source: EventSource): object | undefined {
  const copies = copiesOf(payload.type, source);
  if (copies === undefined) return undefined;
  const rest: Record<string, unknown> = { ...payload };
  for (const [name, value] of Object.entries(copies)) {
    if (!isDeepStrictEqual(rest[name], value)) return undefined;
    delete rest[name];
  }
  return rest;
}

/** Reverses {@link withoutCopies}. If the source was lost, the fields say so. */
export function withCopies<T extends { type: string }>(stored: T, source: EventSource | undefined): T {
  const copies = copiesOf(stored.type, source ?? lostSource(stored.type)) ?? {};
  const present = Object.entries(copies).filter(([, value]) => value !== undefined);
  return { ...stored, ...Object.fromEntries(present) };
}

function copiesOf(type: string, source: EventSource): Record<string, unknown> | undefined {
  if (!('type' in source)) {
    if (type === 'run:finished') return { text: source.text };
    const reasoning = source.reasoning === '' ? undefined : source.reasoning;
    return type === 'llm:response' ? { content: source.text, reasoning } : undefined;
  }
  if (source.type !== 'tool') return undefined;
  if (type === 'llm:tool-call') return { args: source.input };
  const { output = [], title, metadata } = source;
  return type === 'llm:tool-result' ? { sanitized: output, title, metadata } : undefined;
}

const LOST = '[This text could not be read.]';

function lostSource(type: string): EventSource {
  if (type === 'run:finished' || type === 'llm:response') return { text: LOST, reasoning: '' };
  const output = [{ type: 'text' as const, text: LOST }];
  return { type: 'tool', callId: '', name: '', input: LOST, state: 'completed', output };
}
