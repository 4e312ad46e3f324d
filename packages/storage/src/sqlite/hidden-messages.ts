import type { Compaction } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import type { Drizzle } from './connection.ts';

/**
 * What a compaction hides, as its column holds it: sequences of messages that follow one another, first and last, and the ids of those that
 * the session does not have. Every compaction names all that is hidden, so that ids alone would grow with the square of a session's length.
 */
export type HiddenMessages = HiddenRange[];

export type HiddenRange = [first: number, last: number] | string;

/** A session's messages, in their order. */
export interface MessageIds {
  sequences: number[];
  ids: string[];
}

/** By a bare statement, as arrays: a long session has tens of thousands. */
export function readMessageIds(db: Drizzle, sessionId: string): MessageIds {
  const rows = db.values<[string, number]>(
    sql`SELECT id, sequence FROM messages WHERE session_id = ${sessionId} ORDER BY sequence`,
  );
  return { ids: rows.map(([id]) => id), sequences: rows.map(([, sequence]) => sequence) };
}

/** Keeps the order of the ids. */
export function toHiddenMessages(hides: readonly string[], { ids, sequences }: MessageIds): HiddenMessages {
  const sequenceById = new Map(ids.map((id, place) => [id, sequences[place]]));
  const hidden: HiddenMessages = [];
  for (const id of hides) {
    const sequence = sequenceById.get(id);
    const last = hidden.at(-1);
    if (sequence === undefined) hidden.push(id);
    else if (Array.isArray(last) && last[1] === sequence - 1) last[1] = sequence;
    else hidden.push([sequence, sequence]);
  }
  return hidden;
}

/** The ids again. A message whose row was lost is left out. */
export function hiddenIdsOf(hidden: HiddenMessages, { ids, sequences }: MessageIds): string[] {
  return hidden.flatMap((entry) =>
    typeof entry === 'string'
      ? [entry]
      : ids.slice(placeOf(sequences, entry[0]), placeOf(sequences, entry[1] + 1)),
  );
}

/**
 * Reads the column; a list of ids alone is read too.
 *
 * @throws {Error} where it holds something else.
 */
export function parseHiddenMessages(column: string): HiddenMessages {
  const value: unknown = JSON.parse(column);
  if (Array.isArray(value) && value.every(isHidden)) return value;
  throw new TypeError('What is hidden is to be a list of ids and of pairs of sequences.');
}

/**
 * Lets the ids be found whenever they are looked at, and does not keep them: of thousands of compactions, each of which may hide the whole
 * session, callers look at few, or at one after the other.
 */
export function withHiddenIds(compaction: Compaction, hidden: HiddenMessages, of: MessageIds): Compaction {
  return Object.defineProperty(compaction, 'hides', {
    get: () => hiddenIdsOf(hidden, of),
    enumerable: true,
    configurable: true,
  });
}

function isHidden(entry: unknown): entry is HiddenRange {
  if (typeof entry === 'string') return true;
  return Array.isArray(entry) && entry.length === 2 && entry.every(Number.isSafeInteger);
}

/** The place of the first message at this sequence or behind it: rows may be missing. */
function placeOf(sequences: readonly number[], sequence: number): number {
  let [low, high] = [0, sequences.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sequences[middle] ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
