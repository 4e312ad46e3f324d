import type { LonghaulEvent } from '@longhaul/protocol';

/** Pieces of text within this time are sent together. */
const TICK_MS = 50;

/**
 * Sends the events of a session. A piece of text that follows another one within a tick waits for the end of the tick, and
 * is joined with it. All other events, and a piece after a pause, are sent at once.
 */
export class GatheredEvents implements Disposable {
  readonly #send: (events: readonly LonghaulEvent[]) => void;
  #waiting: LonghaulEvent[] = [];
  #sentAt = Number.NEGATIVE_INFINITY;

  constructor(send: (events: readonly LonghaulEvent[]) => void) {
    this.#send = send;
  }

  add(event: LonghaulEvent): void {
    const last = this.#waiting.at(-1);
    const joined = last && joinChunks(last, event);
    if (joined === undefined) this.#waiting.push(event);
    else this.#waiting[this.#waiting.length - 1] = joined;
    if (event.type !== 'llm:chunk' || performance.now() - this.#sentAt >= TICK_MS) this.#flush();
    else flushAtTick(this.#flush);
  }

  [Symbol.dispose](): void {
    this.#waiting = [];
  }

  readonly #flush = (): void => {
    if (this.#waiting.length === 0) return;
    const events = this.#waiting;
    this.#waiting = [];
    this.#sentAt = performance.now();
    this.#send(events);
  };
}

/** Returns one piece of text if the second continues the first. */
function joinChunks(first: LonghaulEvent, second: LonghaulEvent): LonghaulEvent | undefined {
  if (first.type !== 'llm:chunk' || second.type !== 'llm:chunk') return undefined;
  const isSame =
    first.messageId === second.messageId &&
    first.partIndex === second.partIndex &&
    first.chunkType === second.chunkType &&
    first.offset + first.content.length === second.offset;
  return isSame ? { ...first, content: first.content + second.content } : undefined;
}

const flushes = new Set<() => void>();

/** One timer for all sessions. */
function flushAtTick(flush: () => void): void {
  if (flushes.size === 0) {
    setTimeout(
      () => {
        const due = [...flushes];
        flushes.clear();
        for (const each of due) each();
      },
      TICK_MS - (performance.now() % TICK_MS),
    ).unref();
  }
  flushes.add(flush);
}
