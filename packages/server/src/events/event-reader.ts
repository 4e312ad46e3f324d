import type { ServerResponse } from 'node:http';
import type { Resync } from '@longhaul/protocol/api';
import { drained } from './drained.ts';
import type { FrameReader } from './frame-reader.ts';
import type { ReaderRoom } from './reader-room.ts';

/** How long a reader that is told to come back may take to hear it. */
const GOODBYE_MS = 5_000;
const RETRY_MS = 1_000;

export interface EventReaderOptions {
  /** Where what the reader has not taken waits. */
  room: ReaderRoom;
  headers: Readonly<Record<string, string>>;
  onClose: () => void;
}

/**
 * One reader of an event stream. Writing never waits: what a slow reader has not taken is bounded, and beyond that the reader is told to
 * come back with the number it has seen, and let go.
 */
export class EventReader implements FrameReader {
  readonly #response: ServerResponse;
  readonly #room: ReaderRoom;
  #isClosed = false;
  #isGathering = false;
  #lastWriteAt = performance.now();

  constructor(response: ServerResponse, { room, headers, onClose }: EventReaderOptions) {
    this.#response = response;
    this.#room = room;
    response.on('close', () => {
      this.#isClosed = true;
      onClose();
    });
    // A reader that has left is no failure; `close` follows.
    response.on('error', () => undefined);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // nginx would hold events back.
      'x-accel-buffering': 'no',
      ...headers,
    });
    this.send(`retry: ${RETRY_MS}\n\n`);
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#response.destroyed;
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  /** A frame that is larger than all that may wait goes to whoever has taken the ones before. */
  send(frame: string): void {
    if (this.#isClosed) return;
    if (this.waitingBytes > this.#room.maxBytesEach) {
      this.end('slow');
      return;
    }
    this.#lastWriteAt = performance.now();
    this.#gather();
    this.#response.write(frame);
    this.#room.sent(frame.length);
  }

  /** What one turn of the event loop brings goes out in one piece. */
  #gather(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#response.cork();
    setImmediate(() => this.#release());
  }

  #release(): void {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#response.uncork();
  }

  /** Keeps proxies from closing a stream in which nothing happens. */
  heartbeat(now: number, intervalMs: number): void {
    if (now - this.#lastWriteAt >= intervalMs) this.send(': still here\n\n');
  }

  /** Done when what was sent is on its way, or the reader has left. */
  async drained(): Promise<void> {
    if (!this.isClosed) await drained(this.#response);
  }

  end(reason: Resync['reason']): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // What is gathered goes out before the last word.
    this.#release();
    this.#response.end(`event: resync\ndata: ${JSON.stringify({ reason })}\n\n`);
    const timer = setTimeout(() => this.#response.destroy(), GOODBYE_MS);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }
}
