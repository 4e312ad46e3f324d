import type { LonghaulClient } from '@longhaul/client';
import { type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { LiveTexts } from './live-texts.ts';
import { afterEvent, CHANGED_BY, type Stored } from './session-changes.ts';
import { SessionReader } from './session-reader.ts';
import { LOADING, type SessionState } from './session-state.ts';

/** The last events say how the newest run ended. */
const LAST_EVENTS = 10;

/**
 * One session as this page shows it. The stored messages are the truth: events only say that something has changed,
 * and what may have changed is read again. Only unfinished text and the progress of tools come from the events.
 */
export class OpenSession {
  readonly id: string;
  readonly store: StoreApi<SessionState> = createStore<SessionState>(() => LOADING);
  readonly live = new LiveTexts();
  readonly #client: LonghaulClient;
  readonly #reader: SessionReader;
  readonly #listeners = new Set<(event: LonghaulEvent) => void>();
  #ends: AbortController | undefined;
  #stream = new AbortController();
  /** Number of the newest event that is part of what was read first. */
  #known = 0;
  /** Number of the newest event that has arrived. Undefined before the first reading. */
  #after: number | undefined;

  constructor(client: LonghaulClient, id: string) {
    this.#client = client;
    this.id = id;
    const { store, live } = this;
    const onError = (error: unknown) => this.#fail(error);
    this.#reader = new SessionReader({ client, sessionId: id, store, live, onError });
  }

  /** Begins to read. Does nothing if it has begun. */
  start(): void {
    if (this.#ends !== undefined) return;
    this.#ends = new AbortController();
    this.reopen();
  }

  /** Closes the stream of events. What was read stays. */
  pause(): void {
    this.#stream.abort();
  }

  /** Opens the stream of events where it ended. Begins to read if that has failed before. */
  reopen(): void {
    if (this.#ends === undefined) return;
    this.pause();
    this.#stream = new AbortController();
    void this.#follow(AbortSignal.any([this.#ends.signal, this.#stream.signal]));
  }

  stop(): void {
    this.#ends?.abort();
    this.#ends = undefined;
  }

  /** Calls the listener for each event from now on. */
  onEvent(listener: (event: LonghaulEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Reads the page of messages before the loaded ones. */
  readEarlier(): Promise<void> {
    return this.#reader.messages.readEarlier();
  }

  /** Loads all messages from this one on. Returns false if the session has no such message. */
  readUntil(sequence: number): Promise<boolean> {
    return this.#reader.messages.readUntil(sequence);
  }

  /** Reads queue, approvals and state again, after this page has changed one of them. */
  refresh(): void {
    this.#reader.request('detail', 'queue', 'approvals');
  }

  /** Reads everything again, because marks may have changed what the model sees of the loaded messages. */
  refreshMessages(): void {
    this.#reader.request('loaded', 'detail', 'queue', 'approvals', 'context');
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      // Not every change has an event with a number, which the stream repeats.
      if (this.#after !== undefined) this.#reader.request('detail');
      else await this.#readStart(signal);
      this.#reader.request('tail', 'queue', 'approvals', 'context');
      for await (const event of this.#client.events(this.id, { after: this.#after, signal }))
        this.#take(event);
      // The stream of an existing session ends only with its signal.
      if (!signal.aborted) this.store.setState({ phase: 'missing' });
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  async #readStart(signal: AbortSignal): Promise<void> {
    const { lastEvent } = await this.#reader.readFirst(signal);
    this.#known = lastEvent;
    this.#after = Math.max(0, lastEvent - LAST_EVENTS);
  }

  #take(event: LonghaulEvent): void {
    if (event.number !== undefined) this.#after = event.number;
    if (event.type === 'run:started') this.store.setState({ outcome: undefined });
    if (event.type === 'run:finished') this.store.setState({ outcome: event });
    if (event.number !== undefined && event.number <= this.#known) {
      this.#recall(event);
      return;
    }
    this.#change(event);
    for (const listener of this.#listeners) listener(event);
  }

  /** What an event before the first reading still says: that a run waits until it tries again. */
  #recall(event: LonghaulEvent): void {
    const state = this.store.getState();
    const activity = state.isRunning ? afterEvent(state, event)?.activity : undefined;
    if (activity?.kind === 'retrying' && activity.nextTryAt > Date.now()) this.store.setState({ activity });
  }

  #change(event: LonghaulEvent): void {
    if (event.type === 'llm:chunk') this.live.add(event);
    const change = afterEvent(this.store.getState(), event);
    if (change !== undefined) this.store.setState(change);
    this.#reader.request(...this.#changedBy(event));
  }

  #changedBy(event: LonghaulEvent): readonly Stored[] {
    // A newer server has other events, which may change anything.
    if (!Object.hasOwn(CHANGED_BY, event.type)) return ['tail', 'detail', 'queue', 'approvals', 'context'];
    if (event.type !== 'llm:chunk') return CHANGED_BY[event.type];
    const isKnown = this.store.getState().messages.some(({ id }) => id === event.messageId);
    return isKnown ? [] : ['tail'];
  }

  #fail(error: unknown): void {
    if (this.#ends === undefined) return;
    const { code, message } = toLonghaulError(error);
    const { phase } = this.store.getState();
    if (code === 'session_not_found') this.store.setState({ phase: 'missing' });
    // The page says so, and reopens its sessions when the server answers.
    else if (code !== 'server_unreachable')
      this.store.setState({ phase: phase === 'loading' ? 'failed' : phase, problem: message });
  }
}
