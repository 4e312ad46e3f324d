import { PendingBytes } from './pending-bytes.ts';

/** One server-sent event and its bytes. */
export interface SseEvent {
  /** All bytes, including the empty line that ends the event. */
  raw: Buffer;
  /** The `data` lines, joined; undefined if there are none, as in a comment. */
  data: string | undefined;
  /** The value of the `event` line. */
  name: string | undefined;
}

const LF = 0x0a;
const CR = 0x0d;

/** Splits a stream of bytes into events. Keeps the bytes of an incomplete event until its end arrives. */
export class SseReader {
  readonly #pending = new PendingBytes();
  #scanned = 0;

  /** The bytes of an incomplete event. */
  get pending(): Buffer {
    return this.#pending.bytes;
  }

  /** Returns and drops the bytes of an incomplete event. */
  takePending(): Buffer {
    const { bytes } = this.#pending;
    this.#keep(NOTHING);
    return bytes;
  }

  /** Never scans a byte twice, except the last two. */
  push(chunk: Buffer): SseEvent[] {
    this.#pending.append(chunk);
    const { bytes } = this.#pending;
    const events: SseEvent[] = [];
    let start = 0;
    for (let end = endOfEvent(bytes, this.#scanned); end !== -1; end = endOfEvent(bytes, start)) {
      events.push(parseEvent(bytes.subarray(start, end)));
      start = end;
    }
    if (start > 0) this.#keep(bytes.subarray(start));
    // The last two bytes may be the first part of an empty line.
    this.#scanned = Math.max(0, this.#pending.length - 2);
    return events;
  }

  #keep(bytes: Buffer): void {
    this.#pending.reset(bytes);
    this.#scanned = 0;
  }
}

const NOTHING = Buffer.alloc(0);

/** Returns the position after the first empty line, or -1. */
function endOfEvent(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(LF, from); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    const next = bytes[at + 1] === CR ? at + 2 : at + 1;
    if (bytes[next] === LF) return next + 1;
  }
  return -1;
}

function parseEvent(raw: Buffer): SseEvent {
  return parseSimple(raw) ?? parseLines(raw);
}

/** A fast path: nearly every event of a model's stream is one line `data: {…}`. */
function parseSimple(raw: Buffer): SseEvent | undefined {
  const end = raw.length - 2;
  const isSimple = raw[0] === 0x64 && raw[5] === 0x20 && raw[6] === 0x7b && raw.indexOf(LF) === end;
  if (!isSimple || raw[end - 1] === CR) return undefined;
  const line = raw.toString('utf8', 0, end);
  return line.startsWith('data: {') ? { raw, data: line.slice(6), name: undefined } : undefined;
}

function parseLines(raw: Buffer): SseEvent {
  let data: string | undefined;
  let name: string | undefined;
  for (const line of raw.toString('utf8').split(/\r?\n/)) {
    if (line.startsWith('data:')) {
      const value = fieldOf(line, 5);
      data = data === undefined ? value : `${data}\n${value}`;
    } else if (line.startsWith('event:')) name = fieldOf(line, 6);
  }
  return { raw, data, name };
}

function fieldOf(line: string, from: number): string {
  return line.charCodeAt(from) === 0x20 ? line.slice(from + 1) : line.slice(from);
}
