import { setImmediate } from 'node:timers/promises';
import type { Store } from '@longhaul/core';
import type { LonghaulEvent, Message } from '@longhaul/protocol';
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
}

/**
 * What readers of one session are told. `lastNumber` is the number of the last event that was told: a reader that comes gets what is
 * stored up to it, then the text of the answer under way, and from the same moment on whatever is told. So nothing comes twice, and
 * nothing is missing. Events come from a run of this process, and from the store where another process works on the session.
 */
export class SessionTopic {
  readonly #options: SessionTopicOptions;
  readonly #readers = new Set<FrameReader>();
  readonly #live: LiveText;
  readonly #answers: StoredAnswers;
  /** Readers on their way in. */
  #expected = 0;
  #lastNumber = 0;
  #anchoring: Promise<void> | undefined;
  #isAnchored = false;
  /** A run of this process streams: its text need not be looked for in the store. */
  #streamsHere = false;
  /** A run has begun and not ended, wherever it is. */
  #isDriven = false;
  /** Set while the store is read: what comes meanwhile waits here. */
  #waiting: LonghaulEvent[] | undefined;
  /** The store has changed since it was begun to be read. */
  #isStale = false;

  constructor(options: SessionTopicOptions) {
    this.#options = options;
    this.#live = new LiveText(options.sessionId);
    this.#answers = new StoredAnswers(options.store, options.sessionId);
  }

  /** Those on their way in are readers too: what comes while they are told what they have missed is for them. */
  get hasReaders(): boolean {
    return this.#readers.size > 0 || this.#expected > 0;
  }

  /** A reader is on its way, until what this returns is disposed. */
  expectReader(): Disposable {
    this.#expected += 1;
    return {
      [Symbol.dispose]: () => {
        this.#expected -= 1;
      },
    };
  }

  /** Nobody reads, and there is no text that a reader to come would need. */
  get isIdle(): boolean {
    return !this.hasReaders && this.#live.isEmpty;
  }

  /**
   * Finds out where the session stands. Called before the first reader is let in.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async anchor(): Promise<void> {
    if (this.#isAnchored) return;
    this.#anchoring ??= this.#readState().finally(() => {
      this.#anchoring = undefined;
    });
    await this.#anchoring;
    if (this.#isStale) await this.catchUp();
  }

  /** Lets a reader in: what it has missed, the text so far, then all that comes. `after` undefined: nothing was missed. */
  async attach(reader: FrameReader, after: number | undefined): Promise<void> {
    let seen = Math.min(after ?? this.#lastNumber, this.#lastNumber);
    while (seen < this.#lastNumber && !reader.isClosed) {
      const page = await this.#read(seen);
      for (const event of page) {
        if ((event.number ?? 0) > this.#lastNumber) break;
        seen = event.number ?? seen;
        reader.send(this.#frame(event).ofSession);
        // What was missed goes out as fast as the reader takes it, however much it is.
        await reader.drained();
      }
      if (page.length === 0) break;
    }
    // In one go: what is told from here on reaches this reader too.
    if (reader.isClosed) return;
    for (const chunk of this.#live.snapshot()) reader.send(this.#frame(chunk).ofSession);
    this.#readers.add(reader);
  }

  detach(reader: FrameReader): void {
    this.#readers.delete(reader);
  }

  /** An event of a run of this process. `frame` is made when somebody needs it. */
  receive(event: LonghaulEvent, frame: () => Frame): void {
    if (event.type === 'llm:chunk') this.#streamsHere = true;
    if (event.type === 'run:finished') this.#streamsHere = false;
    this.#answers.passHere(event);
    if (this.#waiting !== undefined) {
      this.#waiting.push(event);
      return;
    }
    const number = event.number ?? this.#lastNumber + 1;
    const isHole = this.#isAnchored && number > this.#lastNumber + 1;
    // Another process has added something in between: it is in the store.
    if (isHole && this.#readers.size > 0) void this.#fill([event]);
    else this.#tell(event, frame);
  }

  /** Tells what another process has stored. Where the store is being read, it is read once more: what came of it may be older. */
  async catchUp(): Promise<void> {
    if (!this.hasReaders) return;
    if (!this.#isAnchored || this.#waiting !== undefined) this.#isStale = true;
    else await this.#fill([]);
  }

  close(reason: 'stopping' | 'deleted'): void {
    for (const reader of [...this.#readers]) reader.end(reason);
    this.#readers.clear();
  }

  async #readState(): Promise<void> {
    const { store, sessionId } = this.#options;
    const number = await store.lastEventNumber(sessionId);
    const holder = await store.leaseHolder(sessionId);
    // Read after the number, so that a text is never older than the events: a message that is done is told of by an event to come.
    const { messages } = await store.readMessages(sessionId, { limit: 1 });
    // What was stored before is told by now.
    await setImmediate();
    this.#lastNumber = Math.max(this.#lastNumber, number);
    this.#isAnchored = true;
    const [newest] = messages;
    this.#isDriven ||= holder !== undefined;
    if (newest === undefined) return;
    this.#answers.startAt(newest);
    if (this.#live.isEmpty && newest.status !== 'done') this.#tellAll(this.#live.advance(newest));
  }

  /** Tells what the store has beyond the last number, then what came meanwhile. */
  async #fill(first: LonghaulEvent[]): Promise<void> {
    this.#waiting = first;
    try {
      do {
        this.#isStale = false;
        await this.#tellStored();
      } while (this.#isStale);
    } catch (error) {
      this.#options.onFailure(error);
      // They come back with their last number, and find out how it is.
      this.close('stopping');
    } finally {
      const waiting = this.#waiting ?? [];
      this.#waiting = undefined;
      this.#tellAll(waiting);
    }
  }

  /** Events beyond the last number and, where another process drives the session, the text of its answers. */
  async #tellStored(): Promise<void> {
    const events: LonghaulEvent[] = [];
    for (;;) {
      const page = await this.#read(events.at(-1)?.number ?? this.#lastNumber);
      events.push(...page);
      if (page.length < PAGE) break;
    }
    const isDriven = this.#isDriven || events.some(({ type }) => type === 'run:started');
    const isElsewhere = isDriven && !this.#streamsHere;
    // Read after the events, so that every answer whose end they tell is there whole.
    if (isElsewhere) await this.#answers.read();
    for (const event of events) {
      if (isElsewhere) this.#tellTexts(this.#answers.takeBefore(event));
      this.#tellAll([event]);
    }
    if (isElsewhere) this.#tellTexts(this.#answers.takeRest());
  }

  #tellTexts(messages: readonly Message[]): void {
    for (const message of messages) this.#tellAll(this.#live.advance(message));
  }

  #tellAll(events: readonly LonghaulEvent[]): void {
    for (const event of events) this.#tell(event, () => this.#frame(event));
  }

  #tell(event: LonghaulEvent, frame: () => Frame): void {
    if (event.number !== undefined) {
      if (event.number <= this.#lastNumber) return;
      this.#lastNumber = event.number;
    }
    if (event.type === 'run:started') this.#isDriven = true;
    if (event.type === 'run:finished') this.#isDriven = false;
    const news = this.#live.take(event);
    if (news === undefined || this.#readers.size === 0) return;
    const { ofSession } = news === event ? frame() : this.#frame(news);
    for (const reader of this.#readers) reader.send(ofSession);
  }

  #read(after: number): Promise<LonghaulEvent[]> {
    return this.#options.store.readEvents(this.#options.sessionId, { after, limit: PAGE });
  }

  #frame(event: LonghaulEvent): Frame {
    return toFrame(event, this.#options.mask);
  }
}
