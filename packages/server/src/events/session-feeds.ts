import type { ServerResponse } from 'node:http';
import type { Runtime, Store } from '@longhaul/core';
import { LonghaulError, type LonghaulEvent } from '@longhaul/protocol';
import type { ClusterAddress } from '../cluster/cluster-address.ts';
import { isDeletedSession } from '../failure-log.ts';
import type { ReadSessions } from '../runs/waiting-watch.ts';
import { EventReader } from './event-reader.ts';
import { ForeignNotice } from './foreign-notice.ts';
import type { FrameReader } from './frame-reader.ts';
import { ReaderRoom, type ReaderRoomOptions } from './reader-room.ts';
import { ReadingPermits } from './reading-permits.ts';
import { ReadingWatch } from './reading-watch.ts';
import { SeenSessions } from './seen-sessions.ts';
import { type EventListener, SessionTopic } from './session-topic.ts';
import { CHANGED_FRAME, type Frame, toFrame } from './sse-frame.ts';

export interface SessionFeedsOptions {
  runtime: Pick<Runtime, 'subscribe'>;
  store: Store;
  mask: (text: string) => string;
  /** Time without data after which a stream gets a comment. */
  heartbeatMs: number;
  /** Time that a reader has to receive the last event of a stream that the server ends. */
  goodbyeMs: number;
  /** Limits of the data that waits for slow readers. */
  room: ReaderRoomOptions;
  maxReaders: number;
  /** How other servers are reached that drive sessions. Absent: there are none, or they are not reached. */
  cluster?: ClusterAddress | undefined;
  onFailure: (error: unknown) => void;
}

interface OpenOptions {
  response: ServerResponse;
  headers: Readonly<Record<string, string>>;
  /** Whether the reader may still read. Asked again and again while the stream is open. */
  mayRead: () => Promise<boolean>;
}

interface OpenAllOptions {
  /** Sends only events with a number. */
  isNumbered: boolean;
  /** Leaves out the events of other sessions. Undefined: the reader may see all. */
  sees?: ((sessionId: string) => Promise<boolean>) | undefined;
}

/** Sends events to all readers over HTTP. Without readers, it does nothing periodically. */
export class SessionFeeds implements Disposable {
  /** Limits the data that waits for readers. */
  readonly room: ReaderRoom;
  readonly #options: SessionFeedsOptions;
  readonly #topics = new Map<string, SessionTopic>();
  readonly #readers = new Set<FrameReader>();
  readonly #readersOfAll = new Map<FrameReader, { isNumbered: boolean; filter: SeenSessions | undefined }>();
  readonly #permits: ReadingPermits;
  readonly #unsubscribe: () => void;
  /** Readers that are being opened. */
  #opening = 0;
  /** Listeners of sessions. */
  #listening = 0;
  readonly #watch: ReadingWatch;
  readonly #notice = new ForeignNotice(() => {
    for (const reader of this.#readersOfAll.keys()) reader.send(CHANGED_FRAME);
  });
  #catchingUp: Promise<void> | undefined;
  #mustCatchUpAgain = false;
  #isClosed = false;

  constructor(options: SessionFeedsOptions) {
    this.#options = options;
    this.room = new ReaderRoom(options.room, this.#readers);
    this.#unsubscribe = options.runtime.subscribe((event) => this.#receive(event));
    this.#permits = new ReadingPermits(options.onFailure);
    this.#watch = new ReadingWatch({
      ...options,
      onForeignChange: () => {
        this.#notice.changed();
        this.#onForeignChange();
      },
      onHeartbeat: () => this.#heartbeat(),
    });
  }

  get readerCount(): number {
    return this.#readers.size;
  }

  /** The sessions whose events somebody reads here. */
  get readSessions(): ReadSessions {
    const readsAll = this.#readersOfAll.size > 0;
    const has = (sessionId: string) => readsAll || this.#topics.get(sessionId)?.hasReaders === true;
    const isEmpty = !readsAll && ![...this.#topics.values()].some(({ hasReaders }) => hasReaders);
    return { isEmpty, has };
  }

  /** Number of sessions whose events come from another server. */
  get streamCount(): number {
    return [...this.#topics.values()].filter(({ isLinked }) => isLinked).length;
  }

  /**
   * @throws {LonghaulError} `session_not_found`, `rate_limited`, `shutting_down`. Nothing is thrown once the stream is
   * open.
   */
  openSession(sessionId: string, after: number | undefined, open: OpenOptions): Promise<void> {
    const { mayRead } = open;
    return this.openReader(sessionId, { after, mayRead }, (onClose) => this.#eventReader(open, onClose));
  }

  /** Like `openSession`, with a custom reader. The reader must call `onClose` when it disconnects. */
  async openReader(
    sessionId: string,
    { after, mayRead }: { after: number | undefined } & Pick<OpenOptions, 'mayRead'>,
    create: (onClose: () => void) => FrameReader,
  ): Promise<void> {
    this.#assertRoom();
    this.#opening += 1;
    this.#watch.start();
    try {
      const { topic, coming } = await this.#anchoredTopic(sessionId);
      using _coming = coming;
      const reader = this.#newReader(create, (left) => {
        topic.detach(left);
        this.#forgetIfIdle(sessionId);
      });
      this.#permits.add(reader, mayRead);
      await this.#attach(reader, topic, after);
      // The session was deleted while the reader got the events it had missed.
      if (this.#topics.get(sessionId) !== topic) reader.end('deleted');
    } finally {
      this.#opening -= 1;
      this.#forgetIfIdle(sessionId);
      this.#restIfUnread();
    }
  }

  /**
   * Calls back with the text so far of the answer in progress and with each event of a session, until the result is
   * disposed.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async listen(sessionId: string, listener: EventListener): Promise<Disposable> {
    this.#opening += 1;
    this.#watch.start();
    try {
      const { topic, coming } = await this.#anchoredTopic(sessionId);
      using _coming = coming;
      const listening = topic.listen(listener);
      this.#listening += 1;
      return {
        [Symbol.dispose]: () => {
          listening[Symbol.dispose]();
          this.#listening -= 1;
          this.#forgetIfIdle(sessionId);
          this.#restIfUnread();
        },
      };
    } finally {
      this.#opening -= 1;
      this.#forgetIfIdle(sessionId);
      this.#restIfUnread();
    }
  }

  async #attach(reader: FrameReader, topic: SessionTopic, after: number | undefined): Promise<void> {
    try {
      await topic.attach(reader, after);
    } catch (error) {
      this.fail(reader, error);
    }
    if (reader.isClosed) topic.detach(reader);
  }

  /** Ends an open stream because of a failure: its status is sent already, so nothing may be thrown. */
  fail(reader: FrameReader, error: unknown): void {
    this.#options.onFailure(error);
    reader.end(isDeletedSession(error) ? 'deleted' : 'stopping');
  }

  /** @throws {LonghaulError} `rate_limited`, `shutting_down` */
  openAll(open: OpenOptions, { isNumbered, sees }: OpenAllOptions): void {
    this.#assertRoom();
    const create = (onClose: () => void) => this.#eventReader(open, onClose);
    const reader = this.#newReader(create, (left) => this.#readersOfAll.delete(left));
    const filter = sees && new SeenSessions(sees, (error) => this.fail(reader, error));
    this.#readersOfAll.set(reader, { isNumbered, filter });
    this.#permits.add(reader, open.mayRead);
    this.#watch.start();
  }

  /** Ends the streams of a deleted session with `resync`. */
  drop(sessionId: string): void {
    this.#topics.get(sessionId)?.close('deleted');
    this.#topics.delete(sessionId);
  }

  /** Ends the streams of readers that may no longer read. Called when access has changed, and at each heartbeat. */
  checkAccess(): void {
    for (const { filter } of this.#readersOfAll.values()) filter?.forget();
    this.#permits.check();
  }

  [Symbol.dispose](): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#unsubscribe();
    for (const reader of this.#readers) reader.end('stopping');
    this.#watch.stop();
    this.#notice[Symbol.dispose]();
  }

  #restIfUnread(): void {
    if (this.#readers.size === 0 && this.#opening === 0 && this.#listening === 0) this.#watch.stop();
  }

  #newReader(
    create: (onClose: () => void) => FrameReader,
    onLeft: (reader: FrameReader) => void,
  ): FrameReader {
    const reader = create(() => {
      this.#readers.delete(reader);
      this.#permits.remove(reader);
      onLeft(reader);
      this.#restIfUnread();
    });
    this.#readers.add(reader);
    return reader;
  }

  #eventReader({ response, headers }: OpenOptions, onClose: () => void): EventReader {
    return new EventReader(response, {
      room: this.room,
      goodbyeMs: this.#options.goodbyeMs,
      headers,
      onClose,
    });
  }

  #assertRoom(): void {
    if (this.#isClosed)
      throw new LonghaulError('shutting_down', 'The server is stopping. Retry after it has restarted.');
    if (this.#readers.size < this.#options.maxReaders) return;
    throw new LonghaulError(
      'rate_limited',
      `The server has its maximum of ${this.#options.maxReaders} readers of events. Close a stream, or retry later.`,
    );
  }

  #receive(event: LonghaulEvent): void {
    let made: Frame | undefined;
    const frame = () => {
      made ??= toFrame(event, this.#options.mask);
      return made;
    };
    // The text of an answer is recorded from its beginning even without readers, because a reader may join in the
    // middle.
    const topic =
      event.type === 'llm:chunk' ? this.#topicOf(event.sessionId) : this.#topics.get(event.sessionId);
    topic?.receive(event, frame);
    if (event.type === 'llm:response' || event.type === 'llm:error') this.#forgetIfIdle(event.sessionId);
    if (event.type === 'run:finished' && topic?.hasReaders === false) this.#topics.delete(event.sessionId);
    for (const [reader, { isNumbered, filter }] of this.#readersOfAll) {
      if (isNumbered && event.number === undefined) continue;
      const text = frame().ofAll;
      if (filter === undefined) reader.send(text);
      else filter.pass(event.sessionId, () => reader.send(text));
    }
  }

  /** Returns an anchored topic. The topic is kept at least until `coming` is disposed. */
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
      // The topic was dropped in the meantime, for example because the session was deleted.
      coming[Symbol.dispose]();
    }
  }

  #topicOf(sessionId: string): SessionTopic {
    const known = this.#topics.get(sessionId);
    if (known !== undefined) return known;
    const { store, mask, onFailure, cluster } = this.#options;
    const topic = new SessionTopic({ sessionId, store, mask, onFailure, cluster });
    this.#topics.set(sessionId, topic);
    return topic;
  }

  #forgetIfIdle(sessionId: string): void {
    if (this.#topics.get(sessionId)?.isIdle === true) this.#topics.delete(sessionId);
  }

  /** Reads the changes of other processes, one pass at a time. A change during a pass causes another pass. */
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
    // At the same time, so that a store can answer all with one query.
    await Promise.all([...this.#topics.values()].map((topic) => topic.catchUp()));
  }

  #heartbeat(): void {
    const now = performance.now();
    for (const reader of this.#readers) reader.heartbeat(now, this.#options.heartbeatMs);
    this.checkAccess();
  }
}
