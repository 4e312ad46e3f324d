import type { ServerResponse } from 'node:http';
import type { Runtime, Store } from '@longhaul/core';
import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import { EventReader } from './event-reader.ts';
import type { FrameReader } from './frame-reader.ts';
import { ReaderRoom, type ReaderRoomOptions } from './reader-room.ts';
import { SessionTopic } from './session-topic.ts';
import { type Frame, toFrame } from './sse-frame.ts';

export interface SessionFeedsOptions {
  runtime: Pick<Runtime, 'subscribe'>;
  store: Store;
  mask: (text: string) => string;
  /** A comment is sent into a stream in which nothing was said for so long. */
  heartbeatMs: number;
  /** What may wait for readers that do not keep up. */
  room: ReaderRoomOptions;
  maxReaders: number;
  onFailure: (error: unknown) => void;
}

interface OpenOptions {
  response: ServerResponse;
  headers: Readonly<Record<string, string>>;
}

/** Everyone who reads events over HTTP. */
export class SessionFeeds implements Disposable {
  /** What readers have not taken waits in it. */
  readonly room: ReaderRoom;
  readonly #options: SessionFeedsOptions;
  readonly #topics = new Map<string, SessionTopic>();
  readonly #readers = new Set<FrameReader>();
  readonly #readersOfAll = new Set<FrameReader>();
  readonly #unsubscribe: () => void;
  readonly #watch: Disposable;
  readonly #heartbeats: NodeJS.Timeout;
  #catchingUp: Promise<void> | undefined;
  #mustCatchUpAgain = false;
  #isClosed = false;

  constructor(options: SessionFeedsOptions) {
    this.#options = options;
    this.room = new ReaderRoom(options.room, this.#readers);
    this.#unsubscribe = options.runtime.subscribe((event) => this.#receive(event));
    this.#watch = options.store.watch(() => this.#onForeignChange());
    const tickMs = Math.max(100, Math.min(1_000, options.heartbeatMs / 2));
    this.#heartbeats = setInterval(() => this.#heartbeat(), tickMs);
    this.#heartbeats.unref();
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** @throws {LonghaulError} `session_not_found`, `rate_limited`, `shutting_down`; once the stream is open, nothing. */
  openSession(sessionId: string, after: number | undefined, open: OpenOptions): Promise<void> {
    return this.openReader(sessionId, after, (onClose) => this.#eventReader(open, onClose));
  }

  /** The same for a reader of its own kind. `create` is given what the reader must call once it has left. */
  async openReader(
    sessionId: string,
    after: number | undefined,
    create: (onClose: () => void) => FrameReader,
  ): Promise<void> {
    this.#assertRoom();
    try {
      const { topic, coming } = await this.#anchoredTopic(sessionId);
      using _coming = coming;
      const reader = this.#newReader(create, (left) => {
        topic.detach(left);
        this.#forgetIfIdle(sessionId);
      });
      await this.#attach(reader, topic, after);
      // Deleted while the reader was told what it had missed.
      if (this.#topics.get(sessionId) !== topic) reader.end('deleted');
    } finally {
      this.#forgetIfIdle(sessionId);
    }
  }

  async #attach(reader: FrameReader, topic: SessionTopic, after: number | undefined): Promise<void> {
    try {
      await topic.attach(reader, after);
    } catch (error) {
      this.#options.onFailure(error);
      reader.end('stopping');
    }
    if (reader.isClosed) topic.detach(reader);
  }

  /** @throws {LonghaulError} `rate_limited`, `shutting_down` */
  openAll(open: OpenOptions): void {
    this.#assertRoom();
    const create = (onClose: () => void) => this.#eventReader(open, onClose);
    this.#readersOfAll.add(this.#newReader(create, (left) => this.#readersOfAll.delete(left)));
  }

  /** The session is deleted: its readers are told. */
  drop(sessionId: string): void {
    this.#topics.get(sessionId)?.close('deleted');
    this.#topics.delete(sessionId);
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsubscribe();
    this.#watch[Symbol.dispose]();
    clearInterval(this.#heartbeats);
    for (const reader of this.#readers) reader.end('stopping');
  }

  #newReader(
    create: (onClose: () => void) => FrameReader,
    onLeft: (reader: FrameReader) => void,
  ): FrameReader {
    const reader = create(() => {
      this.#readers.delete(reader);
      onLeft(reader);
    });
    this.#readers.add(reader);
    return reader;
  }

  #eventReader({ response, headers }: OpenOptions, onClose: () => void): EventReader {
    return new EventReader(response, { room: this.room, headers, onClose });
  }

  #assertRoom(): void {
    if (this.#isClosed) throw new LonghaulError('shutting_down', 'The server is stopping. Come back later.');
    if (this.#readers.size < this.#options.maxReaders) return;
    throw new LonghaulError(
      'rate_limited',
      `${this.#readers.size} readers are connected, and this server takes no more.`,
    );
  }

  #receive(event: LonghaulEvent): void {
    let made: Frame | undefined;
    const frame = () => {
      made ??= toFrame(event, this.#options.mask);
      return made;
    };
    // The text of an answer is kept from its beginning: a reader may come in the middle of it.
    const topic =
      event.type === 'llm:chunk' ? this.#topicOf(event.sessionId) : this.#topics.get(event.sessionId);
    topic?.receive(event, frame);
    if (event.type === 'llm:response' || event.type === 'llm:error') this.#forgetIfIdle(event.sessionId);
    if (event.type === 'run:finished' && topic?.hasReaders === false) this.#topics.delete(event.sessionId);
    if (this.#readersOfAll.size === 0) return;
    const { ofAll } = frame();
    for (const reader of this.#readersOfAll) reader.send(ofAll);
  }

  /** A topic that knows where its session stands, and is kept until the reader who comes is in. */
  async #anchoredTopic(sessionId: string): Promise<{ topic: SessionTopic; coming: Disposable }> {
    for (;;) {
      const topic = this.#topicOf(sessionId);
      const coming = topic.expectReader();
      try {
        await topic.anchor();
      } catch (error) {
        coming[Symbol.dispose]();
        throw error;
      }
      if (this.#topics.get(sessionId) === topic) return { topic, coming };
      // The session was deleted meanwhile.
      coming[Symbol.dispose]();
    }
  }

  #topicOf(sessionId: string): SessionTopic {
    const known = this.#topics.get(sessionId);
    if (known !== undefined) return known;
    const { store, mask, onFailure } = this.#options;
    const topic = new SessionTopic({ sessionId, store, mask, onFailure });
    this.#topics.set(sessionId, topic);
    return topic;
  }

  #forgetIfIdle(sessionId: string): void {
    if (this.#topics.get(sessionId)?.isIdle === true) this.#topics.delete(sessionId);
  }

  /** One look at the store at a time, and one more where it changed meanwhile. */
  #onForeignChange(): void {
    if (this.#catchingUp !== undefined) {
      this.#mustCatchUpAgain = true;
      return;
    }
    this.#catchingUp = this.#catchUp().finally(() => {
      this.#catchingUp = undefined;
      if (!this.#mustCatchUpAgain || this.#isClosed) return;
      this.#mustCatchUpAgain = false;
      this.#onForeignChange();
    });
  }

  async #catchUp(): Promise<void> {
    for (const topic of [...this.#topics.values()]) {
      if (this.#isClosed) return;
      await topic.catchUp();
    }
  }

  #heartbeat(): void {
    const now = performance.now();
    for (const reader of this.#readers) reader.heartbeat(now, this.#options.heartbeatMs);
  }
}
