/**
 * Creates ids from the content of a file, so that the same file always gives the same ids. They have the form of UUIDv7
 * and ascend with the sequence of the messages, even if the dates in the file do not.
 */
export class StableIds {
  readonly sessionId: string;
  readonly #seed: number;
  #latest = 0;

  /** @param head The start of the file, which identifies it. */
  constructor(head: string, sessionId?: string) {
    this.#seed = hash(head, 0x811c9dc5);
    const second = hash(head, 0x01000193);
    this.sessionId = sessionId ?? formatId(0, this.#seed, second);
  }

  messageId(sequence: number, createdAt: number): string {
    this.#latest = Math.max(this.#latest, createdAt);
    return formatId(this.#latest, sequence, this.#seed);
  }
}

/** FNV-1a. */
function hash(text: string, start: number): number {
  let value = start;
  for (let index = 0; index < text.length; index += 1)
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  return value >>> 0;
}

function formatId(instant: number, place: number, seed: number): string {
  const time = hex(instant, 12);
  const places = hex(place, 8);
  const variant = (8 + (seed % 4)).toString(16);
  return [
    time.slice(0, 8),
    time.slice(8),
    `7${places.slice(0, 3)}`,
    `${variant}${places.slice(3, 6)}`,
    `${places.slice(6)}00${hex(seed, 8)}`,
  ].join('-');
}

function hex(value: number, digits: number): string {
  return Math.max(0, Math.trunc(value)).toString(16).padStart(digits, '0').slice(-digits);
}
