import type { ServerResponse } from 'node:http';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { Resync } from '@longhaul/protocol/api';
import { drained } from '../events/drained.ts';
import type { FrameReader } from '../events/frame-reader.ts';
import type { ReaderRoom } from '../events/reader-room.ts';
import type { UiChunk, UiFinishReason } from './ui-chunk.ts';
import type { UiTranslator } from './ui-translator.ts';

export interface ChatReaderOptions {
  translator: UiTranslator;
  /** Limits the data that waits for the page. */
  room: ReaderRoom;
  headers: Readonly<Record<string, string>>;
  onClose: () => void;
  /** Called if the page disconnects before the answer is complete. */
  onLeft: () => void;
}

/** The version of the protocol, which the AI SDK checks. */
const PROTOCOL = { 'x-vercel-ai-ui-message-stream': 'v1' };

/** Writes the events of a session as a UI message stream for `useChat`. */
export class ChatReader implements FrameReader {
  readonly #response: ServerResponse;
  readonly #options: ChatReaderOptions;
  #isClosed = false;
  #lastWriteAt = performance.now();

  constructor(response: ServerResponse, options: ChatReaderOptions) {
    this.#response = response;
    this.#options = options;
    response.on('close', () => this.#onClose());
    // A disconnected page is not a failure. A `close` event follows.
    response.on('error', () => undefined);
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      ...PROTOCOL,
      ...options.headers,
    });
    this.write(options.translator.begin());
  }

  get isClosed(): boolean {
    return this.#isClosed || this.#response.destroyed;
  }

  get waitingBytes(): number {
    return this.#response.writableLength;
  }

  send(frame: string): void {
    if (this.isClosed) return;
    const { translator } = this.#options;
    this.write(translator.push(eventOf(frame)));
    if (translator.isEnded) this.#finish();
    else if (this.waitingBytes > this.#options.room.maxBytesEach) this.end('slow');
  }

  write(chunks: readonly UiChunk[]): void {
    if (chunks.length === 0 || this.isClosed) return;
    this.#lastWriteAt = performance.now();
    const text = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
    this.#response.write(text);
    this.#options.room.sent(text.length);
  }

  heartbeat(now: number, intervalMs: number): void {
    if (this.isClosed || now - this.#lastWriteAt < intervalMs) return;
    this.#lastWriteAt = now;
    this.#response.write(': still here\n\n');
  }

  async drained(): Promise<void> {
    if (!this.isClosed) await drained(this.#response);
  }

  /** Ends an answer that will not end with an event. */
  close(finishReason: UiFinishReason): void {
    this.write(this.#options.translator.end(finishReason));
    this.#finish();
  }

  end(reason: Resync['reason']): void {
    this.write([{ type: 'error', errorText: WHY[reason] }]);
    this.#finish();
  }

  #finish(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#response.end('data: [DONE]\n\n');
  }

  #onClose(): void {
    const hasLeft = !this.#isClosed;
    this.#isClosed = true;
    this.#options.onClose();
    if (hasLeft) this.#options.onLeft();
  }
}

const WHY: Readonly<Record<Resync['reason'], string>> = {
  slow: 'The page was too slow to receive the answer. Reload the page: the answer continues.',
  stopping: 'The server is stopping. The answer so far is stored and can be resumed.',
  deleted: 'The session was deleted.',
  unauthorized: 'Your access to this session has ended.',
};

/** Parses a frame of `toFrame`: one line of data, possibly after an id line. */
function eventOf(frame: string): LonghaulEvent {
  const event: LonghaulEvent = JSON.parse(frame.slice(frame.indexOf('data: ') + 'data: '.length));
  return event;
}
