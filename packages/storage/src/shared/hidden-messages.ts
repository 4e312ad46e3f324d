import type { Compaction } from '@longhaul/protocol';

/**
 * The messages that a compaction hides, as stored in its column: ranges of consecutive sequences (first and last), and
 * ids of messages that are not in the session. Each compaction lists all hidden messages, so lists of ids would grow
 * with the square of a session's length.
 */
export type HiddenMessages = HiddenRange[];

export type HiddenRange = [first: number, last: number] | string;

/** Sequences and ids of a session's messages, in order. */
export interface MessageIds {
  sequences: number[];
  ids: string[];
}

/** Converts ids to ranges. Keeps their order. */
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

/** Converts ranges back to ids. Leaves out messages whose row was lost. */
export function hiddenIdsOf(hidden: HiddenMessages, { ids, sequences }: MessageIds): string[] {
  return hidden.flatMap((entry) =>
    typeof entry === 'string'
      ? [entry]
      : ids.slice(placeOf(sequences, entry[0]), placeOf(sequences, entry[1] + 1)),
  );
}

/**
 * Parses the column. Also accepts a list of ids without ranges.
 *
 * @throws {Error} If the column contains anything else.
 */
export function parseHiddenMessages(column: string): HiddenMessages {
  const value: unknown = JSON.parse(column);
  if (Array.isArray(value) && value.every(isHidden)) return value;
  throw new TypeError('The column must be a list of message ids and pairs of sequences.');
}

/**
 * Computes `hides` on each access instead of storing it. There may be thousands of compactions, each hiding most of the
 * session, and callers read the ids of few compactions, or of one after the other.
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

/** Returns the index of the first message with this sequence or a later one. Rows may be missing. */
function placeOf(sequences: readonly number[], sequence: number): number {
  let [low, high] = [0, sequences.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sequences[middle] ?? 0) < sequence) low = middle + 1;
    else high = middle;
  }
  return low;
}
