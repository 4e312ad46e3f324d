import { setImmediate } from 'node:timers/promises';
import type { Store } from '@longhaul/core';
import type { LonghaulEvent, Message } from '@longhaul/protocol';
import type { ClusterAddress } from '../cluster/cluster-address.ts';
import { OwnerWatch } from '../cluster/owner-watch.ts';
import { isDeletedSession } from '../failure-log.ts';
import type { FrameReader } from './frame-reader.ts';
import { LiveText } from './live-text.ts';
import { type Frame, toFrame } from './sse-frame.ts';
import { StoredAnswers } from './stored-answers.ts';

const PAGE = 500;

export interface SessionTopicOptions {
  sessionId: string;
  store: Store;
  mask: (text: string) => string;
  onFailure: (error: unknown) => void;
  /** How other servers are reached that drive the session. Absent: the texts of their answers are read from the store. */
  cluster?: ClusterAddress | undefined;
}

/** Gets what readers get, before secrets are masked. */
export type EventListener = (event: LonghaulEvent) => void;

/**
 * Sends the events of one session to its readers. `lastNumber` is the number of the last event that was sent. A new
 * reader gets the stored events up to that number, then the text so far of the answer in progress, and from that moment
 * on every event that is sent. So each event arrives exactly once. Events come from a run of this process, or from the
 * store if another process works on the session.
 */
export class SessionTopic {
  readonly #options: SessionTopicOptions;
  readonly #readers = new Set<FrameReader>();
  readonly #listeners = new Set<EventListener>();
  /** Undefined: this server is alone. */
  readonly #owner: OwnerWatch | undefined;
  readonly #live: LiveText;
  readonly #answers: StoredAnswers;
  /** Number of readers that are being attached. */
  #expected = 0;
  #lastNumber = 0;
  #anchoring: Promise<void> | undefined;
  #isAnchored = false;
  /** A run of this process streams, or the server that drives the session does, so its text is not read from the store. */
  #streamsHere = false;
  /** A run of any process is active. */
  #isDriven = false;
  /** Set while the store is read. Events that arrive in the meantime wait here. */
  #waiting: LonghaulEvent[] | undefined;
  /** The store has changed since the current read started. */
  #isStale = false;

  constructor(options: SessionTopicOptions) {
    this.#options = options;
    this.#live = new LiveText(options.sessionId);
    this.#answers = new StoredAnswers(options.store, options.sessionId);
    const { cluster, store, sessionId } = options;
    this.#owner =
      cluster &&
      new OwnerWatch({
        cluster,
        store,
        sessionId,
        hasReaders: () => this.hasReaders,
        lastNumber: () => this.#lastNumber,
        onEvent: (event) => this.receive(event, () => this.#frame(event)),
        read: () => void this.#readNow(),
        onUnlinked: () => this.#onUnlinked(),
      });
  }

  /**
   * Whether the session has readers. Readers that are being attached count, because they need the events that arrive in
   * the meantime.
   */
  get hasReaders(): boolean {
    return this.#readers.size > 0 || this.#listeners.size > 0 || this.#expected > 0;
  }

  /** Whether its events come from the server that drives the session. */
  get isLinked(): boolean {
    return this.#owner?.isOpen === true;
  }

  /** Counts a reader that is being attached, until the result is disposed. */
  expectReader(): Disposable {
    this.#expected += 1;
    return {
      [Symbol.dispose]: () => {
        this.#expected -= 1;
      },
    };
  }

  /** Whether there are no readers and no text in progress that a later reader would need. */
  get isIdle(): boolean {
    return !this.hasReaders && this.#live.isEmpty;
  }

  /**
   * Reads the current state of the session. Must be called before a reader is attached.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async anchor(): Promise<void> {
    if (this.#isAnchored) {
      // Without readers, the changes of other processes are not read.
      if (this.#readers.size === 0) await this.catchUp();
      return;
    }
    this.#anchoring ??= this.#readState().finally(() => {
      this.#anchoring = undefined;
    });
    await this.#anchoring;
    if (this.#isStale) await this.catchUp();
  }

  /**
   * Attaches a reader. It gets the events after `after`, the text so far, then all new events. If `after` is undefined,
   * it gets no earlier events.
   */
  async attach(reader: FrameReader, after: number | undefined): Promise<void> {
    let seen = Math.min(after ?? this.#lastNumber, this.#lastNumber);
    while (seen < this.#lastNumber && !reader.isClosed) {
      const page = await this.#read(seen);
      for (const event of page) {
        if ((event.number ?? 0) > this.#lastNumber) break;
        seen = event.number ?? seen;
        reader.send(this.#frame(event).ofSession);
        // Missed events are sent as fast as the reader receives them, so their number is not limited.
        await reader.drained();
      }
      if (page.length === 0) break;
    }
    // No await from here on: every event sent after the snapshot must reach this reader.
    if (reader.isClosed) return;
    for (const chunk of this.#live.snapshot()) reader.send(this.#frame(chunk).ofSession);
    this.#readers.add(reader);
    this.#owner?.look();
  }

  detach(reader: FrameReader): void {
    this.#readers.delete(reader);
    this.#rest();
  }

  /** Calls back with the text so far of the answer in progress, then with each event, until the result is disposed. */
  listen(listener: EventListener): Disposable {
    for (const chunk of this.#live.snapshot()) listener(chunk);
    this.#listeners.add(listener);
    this.#owner?.look();
    return {
      [Symbol.dispose]: () => {
        this.#listeners.delete(listener);
        this.#rest();
      },
    };
  }

  /** Receives an event of a run of this process. `frame` is only called if a reader needs the frame. */
  receive(event: LonghaulEvent, frame: () => Frame): void {
    if (event.type === 'llm:chunk') this.#streamsHere = true;
    if (event.type === 'run:finished') this.#streamsHere = false;
    this.#answers.recordHere(event);
    if (this.#waiting !== undefined) {
      this.#waiting.push(event);
      return;
    }
    // Another process stored the events in between.
    if (this.#isAnchored && this.#isAhead(event) && this.hasReaders) void this.#fill([event]);
    else this.#send(event, frame);
  }

  /**
   * Sends the events that another process has stored. If a read of the store is in progress, the store is read again
   * after it.
   */
  async catchUp(): Promise<void> {
    if (!this.hasReaders) return;
    if (this.#isAnchored && this.#owner?.isLive === true) this.#owner.readLater();
    else await this.#readNow();
  }

  close(reason: 'stopping' | 'deleted'): void {
    for (const reader of [...this.#readers]) reader.end(reason);
    this.#readers.clear();
    this.#listeners.clear();
    this.#rest();
  }

  async #readNow(): Promise<void> {
    if (!this.#isAnchored || this.#waiting !== undefined) {
      this.#isStale = true;
      return;
    }
    const isLive = this.#owner?.isLive === true;
    const before = this.#lastNumber;
    await this.#fill([]);
    // Events that have not arrived by themselves are those of another server, which may have taken the session.
    if (!isLive || this.#lastNumber > before) this.#owner?.look();
  }

  /** From now on, the text is read from the store. Another server may take the session. */
  #onUnlinked(): void {
    this.#streamsHere = false;
    void this.catchUp();
  }

  /** Without readers, nothing is read. */
  #rest(): void {
    if (this.hasReaders) return;
    if (this.#owner?.isOpen === true) this.#streamsHere = false;
    this.#owner?.rest();
  }

  async #readState(): Promise<void> {
    const { store, sessionId } = this.#options;
    const number = await store.lastEventNumber(sessionId);
    const holder = await store.leaseHolder(sessionId);
    // Read after the number, so the text is never older than the events: the event of a finished message is still to be
    // sent.
    const { messages } = await store.readMessages(sessionId, { limit: 1 });
    // Events of this process that were stored before have been received after this.
    await setImmediate();
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#isAnchored = true;
    const [newest] = messages;
    this.#isDriven ||= holder !== undefined;
    if (newest === undefined) return;
    this.#answers.startAt(newest);
    if (this.#live.isEmpty && newest.status !== 'done') this.#sendAll(this.#live.advance(newest));
  }

  /** Sends the stored events after the last number, and the events that arrive in the meantime, in their order. */
  async #fill(arrived: LonghaulEvent[]): Promise<void> {
    const waiting = arrived;
    this.#waiting = waiting;
    try {
      do {
        const [next] = waiting;
        if (next === undefined) {
          this.#isStale = false;
          await this.#sendStored();
        } else {
          if (this.#isAhead(next)) await this.#sendStored(next.number);
          this.#sendNext(waiting);
        }
      } while (this.#isStale || waiting.length > 0);
    } catch (error) {
      this.#options.onFailure(error);
      // The readers reconnect with their last number and get the current state or an error.
      this.close(isDeletedSession(error) ? 'deleted' : 'stopping');
    } finally {
      this.#waiting = undefined;
      this.#sendAll(waiting);
    }
  }

  /** Sends the events that have arrived up to a gap. What was missing before the first one has been read. */
  #sendNext(waiting: LonghaulEvent[]): void {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      this.#sendAll([next]);
      if (waiting[0] !== undefined && this.#isAhead(waiting[0])) return;
    }
  }

  /** Whether events before it are missing. */
  #isAhead({ number }: LonghaulEvent): boolean {
    return number !== undefined && number > this.#lastNumber + 1;
  }

  /**
   * Sends the stored events after the last number, up to the one before `end`. If another process drives the session and
   * its stream is not open, also sends the text of its answers.
   */
  async #sendStored(end = Number.POSITIVE_INFINITY): Promise<void> {
    const isWhole = end === Number.POSITIVE_INFINITY;
    if (isWhole && this.#isOvertaking()) return;
    const events: LonghaulEvent[] = [];
    for (;;) {
      const page = await this.#read(events.at(-1)?.number ?? this.#lastNumber);
      events.push(...page.filter(({ number = 0 }) => number < end));
      if (page.length < PAGE || (page.at(-1)?.number ?? 0) >= end) break;
    }
    const isDriven = this.#isDriven || events.some(({ type }) => type === 'run:started');
    const isElsewhere = isDriven && !this.#streamsHere;
    // Read after the events, so every answer that an event ends is complete.
    if (isElsewhere) await this.#answers.read();
    if (isWhole && this.#isOvertaking()) return;
    for (const event of events) {
      if (isElsewhere) this.#sendTexts(this.#answers.takeBefore(event));
      this.#sendAll([event]);
    }
    if (isElsewhere) this.#sendTexts(this.#answers.takeRest());
  }

  /** Whether what was read may be newer than a text that arrives by itself. Then it is read again later. */
  #isOvertaking(): boolean {
    if (this.#owner?.isUsed === true) this.#owner.readLater();
    else if (this.#streamsHere && this.#waiting?.length !== 0) this.#isStale = true;
    else return false;
    return true;
  }

  #sendTexts(messages: readonly Message[]): void {
    for (const message of messages) this.#sendAll(this.#live.advance(message));
  }

  #sendAll(events: readonly LonghaulEvent[]): void {
    for (const event of events) this.#send(event, () => this.#frame(event));
  }

  #send(event: LonghaulEvent, frame: () => Frame): void {
    if (event.number !== undefined) {
      if (event.number <= this.#lastNumber) return;
      this.#lastNumber = event.number;
    }
    if (event.type === 'run:started') this.#isDriven = true;
    if (event.type === 'run:finished') this.#isDriven = false;
    if (event.type === 'run:started' || event.type === 'run:finished') this.#owner?.look({ isChanged: true });
    const fresh = this.#live.take(event);
    if (fresh === undefined) return;
    for (const listener of this.#listeners) listener(fresh);
    if (this.#readers.size === 0) return;
    const { ofSession } = fresh === event ? frame() : this.#frame(fresh);
    for (const reader of this.#readers) reader.send(ofSession);
  }

  #read(after: number): Promise<LonghaulEvent[]> {
    return this.#options.store.readEvents(this.#options.sessionId, { after, limit: PAGE });
  }

  #frame(event: LonghaulEvent): Frame {
    return toFrame(event, this.#options.mask);
  }
}
