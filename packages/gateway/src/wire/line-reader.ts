import { PendingBytes } from './pending-bytes.ts';
import type { SseEvent } from './sse-reader.ts';

const LF = 0x0a;

/** Splits a stream of bytes into lines of JSON, as `SseReader` splits one into events. */
export class LineReader {
  readonly #pending = new PendingBytes();

  get pending(): Buffer {
    return this.#pending.bytes;
  }

  takePending(): Buffer {
    const { bytes } = this.#pending;
    this.#pending.reset(Buffer.alloc(0));
    return bytes;
  }

  push(chunk: Buffer): SseEvent[] {
    const from = this.#pending.length;
    this.#pending.append(chunk);
    const { bytes } = this.#pending;
    const events: SseEvent[] = [];
    let start = 0;
    for (let end = bytes.indexOf(LF, from); end !== -1; end = bytes.indexOf(LF, start)) {
      const raw = bytes.subarray(start, end + 1);
      events.push({ raw, data: raw.toString('utf8').trim(), name: undefined });
      start = end + 1;
    }
    if (start > 0) this.#pending.reset(bytes.subarray(start));
    return events;
  }
}
