import type { ServerResponse } from 'node:http';
import type { Resync } from '@longhaul/protocol/api';
import { drained } from './drained.ts';
import type { FrameReader } from './frame-reader.ts';
import type { ReaderRoom } from './reader-room.ts';

const RETRY_MS = 1_000;

export interface EventReaderOptions {
  /** Limits the data that waits for the reader. */
  room: ReaderRoom;
  /** Time that the reader has to receive the `resync` event before the connection is destroyed. */
  goodbyeMs: number;
  headers: Readonly<Record<string, string>>;
  onClose: () => void;
}

/**
 * One reader of an event stream. Writing never waits. The data that waits for a slow reader is limited: beyond the
 * limit, the stream ends with `resync`, and the reader reconnects with its last number.
 */
export class EventReader implements FrameReader {
  readonly #response: ServerResponse;
  readonly #room: ReaderRoom;
  readonly #goodbyeMs: number;
  #isClosed = false;
  #isGathering = false;
  #lastWriteAt = performance.now();

  constructor(response: ServerResponse, { room, goodbyeMs, headers, onClose }: EventReaderOptions) {
    this.#response = response;
    this.#room = room;
    this.#goodbyeMs = goodbyeMs;
    response.on('close', () => {
      this.#isClosed = true;
      onClose();
    });
    // A disconnected reader is not a failure. A `close` event follows.
    response.on('error', () => undefined);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // Keeps nginx from buffering the events.
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

  /** Sends a frame of any size if the data that already waits is within the limit. Otherwise ends the stream. */
  send(frame: string): void {
    if (this.#isClosed) return;
    if (this.waitingBytes > this.#room.maxBytesEach) {
      this.end('slow');
      return;
    }
    this.#lastWriteAt = performance.now();
    this.#cork();
    this.#response.write(frame);
    this.#room.sent(frame.length);
  }

  /** Batches the frames of one turn of the event loop into one write. */
  #cork(): void {
    if (this.#isGathering) return;
    this.#isGathering = true;
    this.#response.cork();
    setImmediate(() => this.#uncork());
  }

  #uncork(): void {
    if (!this.#isGathering) return;
    this.#isGathering = false;
    this.#response.uncork();
  }

  /** Sends a comment into an idle stream, so that proxies don't close it. */
  heartbeat(now: number, intervalMs: number): void {
    if (now - this.#lastWriteAt >= intervalMs) this.send(': still here\n\n');
  }

  /** Resolves when the sent data has been flushed or the reader has disconnected. */
  async drained(): Promise<void> {
    if (!this.isClosed) await drained(this.#response);
  }

  end(reason: Resync['reason']): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // Batched frames must be sent before the `resync` event.
    this.#uncork();
    this.#response.end(`event: resync\ndata: ${JSON.stringify({ reason })}\n\n`);
    const timer = setTimeout(() => this.#response.destroy(), this.#goodbyeMs);
    timer.unref();
    this.#response.once('close', () => clearTimeout(timer));
  }
}
