import type { EventPayload, Part } from '@longhaul/protocol';
import { type EventSource, withCopies, withoutCopies } from './event-copies.ts';
import { lostEvent } from './lost-content.ts';
import { isSoundRow } from './row-checksum.ts';

export type EventRow = {
  sessionId: string;
  number: number;
  at: number;
  type: string;
  payload: string;
  sourceSequence: number | null;
  sourcePart: number | null;
  checksum: number | null;
};

/** The message, or its part, that the events of a write report. */
export interface EventOrigin {
  sequence: number;
  part?: { index: number; part: Part };
}

/** A shorter text is not worth reading its message. */
const MIN_TEXT_CHARS = 200;

function hasLongText(payload: EventPayload): boolean {
  if (payload.type === 'run:finished') return payload.text.length >= MIN_TEXT_CHARS;
  if (payload.type !== 'llm:response') return false;
  return payload.content.length + (payload.reasoning ?? '').length >= MIN_TEXT_CHARS;
}

/** Whether the texts of the message are needed, to see whether the event repeats them. */
export function readsMessage(payload: EventPayload, origin: EventOrigin | undefined): origin is EventOrigin {
  return origin !== undefined && origin.part === undefined && hasLongText(payload);
}

/**
 * Returns the columns of an event. A text that an event repeats is stored once: an event names its place instead.
 *
 * @param texts The texts of the message, if {@link readsMessage}.
 */
export function eventColumns(
  payload: EventPayload,
  origin: EventOrigin | undefined,
  texts: EventSource | undefined,
) {
  const whole = { payload: JSON.stringify(payload), sourceSequence: null, sourcePart: null };
  const source = origin?.part?.part ?? texts;
  const rest = origin === undefined || source === undefined ? undefined : withoutCopies(payload, source);
  if (origin === undefined || rest === undefined) return whole;
  const { sequence, part } = origin;
  return { payload: JSON.stringify(rest), sourceSequence: sequence, sourcePart: part?.index ?? null };
}

/** Where an event's texts are: in a part, or in all texts of a message. Sequences are stable, row ids are not. */
export interface SourcePlace {
  sessionId: string;
  sequence: number;
  /** Null: the texts of the message. */
  partIndex: number | null;
}

/** Returns the place of the texts that an event repeats. Undefined: the row has the whole event. */
export function sourceOf(row: EventRow): SourcePlace | undefined {
  const { sessionId, sourceSequence: sequence, sourcePart: partIndex } = row;
  return sequence === null ? undefined : { sessionId, sequence, partIndex };
}

/** @param source What is at {@link sourceOf}. */
export function wholePayload(row: EventRow, source: EventSource | undefined): EventPayload {
  const payload = payloadOf(row);
  return row.sourceSequence === null || payload.type !== row.type ? payload : withCopies(payload, source);
}

/** A damaged event must not end the stream of a session's events. */
function payloadOf(row: EventRow): EventPayload {
  if (!isSoundRow('events', row)) return lostEvent(row.number);
  try {
    return JSON.parse(row.payload);
  } catch {
    return lostEvent(row.number);
  }
}
