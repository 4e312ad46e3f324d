import type { LonghaulClient } from '@longhaul/client';
import {
  type Approval,
  type EventOf,
  type LonghaulEvent,
  type QueuedMessage,
  toLonghaulError,
} from '@longhaul/protocol';
import type { ContextInfo, ListedMessage, SessionDetail } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from './coalesced.ts';
import { LiveTexts } from './live-texts.ts';
import { mergeMessages, settledUntil } from './message-list.ts';

/** What a running tool reports. */
export interface ToolProgress {
  title: string;
  /** The last lines of a command. */
  lines: readonly string[];
}

/** What the run does at the moment. */
export type Activity =
  | { kind: 'idle' | 'starting' | 'thinking' | 'writing' | 'compacting' }
  | { kind: 'retrying'; attempt: number; reason: string; nextTryAt: number };

export interface SessionState {
  phase: 'loading' | 'ready' | 'missing' | 'failed';
  /** Why the phase is `failed`. */
  problem: string | undefined;
  detail: SessionDetail | undefined;
  /** A range without gaps, in ascending order. */
  messages: readonly ListedMessage[];
  hasEarlier: boolean;
  queue: readonly QueuedMessage[];
  /** Requests that nobody has answered. */
  approvals: readonly Approval[];
  activity: Activity;
  isRunning: boolean;
  /** How the newest run ended. Undefined while a run works, and before the first one. */
  outcome: EventOf<'run:finished'> | undefined;
  progress: ReadonlyMap<string, ToolProgress>;
  /** How full the window was at the last step of this run. */
  usage: EventOf<'context:usage'> | undefined;
  context: ContextInfo | undefined;
}

const INITIAL: SessionState = {
  phase: 'loading',
  problem: undefined,
  detail: undefined,
  messages: [],
  hasEarlier: false,
  queue: [],
  approvals: [],
  activity: { kind: 'idle' },
  isRunning: false,
  outcome: undefined,
  progress: new Map(),
  usage: undefined,
  context: undefined,
};

const FIRST_PAGE = 50;
const LAST_EVENTS = 10;
const PAGE = 200;

/**
 * One session as this page shows it. The stored messages are the truth: events only say that something has changed,
 * and the changed messages are read again. Only unfinished text and the progress of tools come from the events.
 */
export class OpenSession {
  readonly id: string;
  readonly store: StoreApi<SessionState> = createStore<SessionState>(() => INITIAL);
  readonly live = new LiveTexts();
  readonly #client: LonghaulClient;
  readonly #listeners = new Set<(event: LonghaulEvent) => void>();
  readonly #tail = new Coalesced(
    () => this.#readTail(),
    (error) => this.#fail(error),
  );
  readonly #facts = new Coalesced(
    () => this.#readFacts(),
    (error) => this.#fail(error),
  );
  readonly #all = new Coalesced(
    () => this.#readLoadedAgain(),
    (error) => this.#fail(error),
  );
  #ends: AbortController | undefined;
  #stream = new AbortController();
  /** Number of the newest event that is part of what was read. Undefined before the first reading. */
  /** Number of the newest event that is part of what was read first. */
  #known = 0;
  #after: number | undefined;

  constructor(client: LonghaulClient, id: string) {
    this.#client = client;
    this.id = id;
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
  async readEarlier(): Promise<void> {
    const first = this.#state.messages[0];
    if (first !== undefined && this.#state.hasEarlier) await this.#readPages([first.sequence]);
  }

  /** Loads all messages from this one on. Returns false if the session has no such message. */
  async readUntil(sequence: number): Promise<boolean> {
    for (;;) {
      const first = this.#state.messages[0]?.sequence ?? 0;
      if (!this.#state.hasEarlier || first <= sequence) break;
      // Sequences have no gaps, so several pages can be read at a time.
      const befores = [first, first - PAGE, first - 2 * PAGE, first - 3 * PAGE].filter(
        (before) => before > sequence,
      );
      await this.#readPages(befores);
    }
    return this.#state.messages.some((message) => message.sequence === sequence);
  }

  /** Reads queue, approvals, context and state again, after this page has changed one of them. */
  refresh(): void {
    this.#facts.request();
  }

  /** Reads all loaded messages again, because marks may have changed their visibility. */
  refreshMessages(): void {
    this.#all.request();
    this.#facts.request();
  }

  get #state(): SessionState {
    return this.store.getState();
  }

  #set(change: Partial<SessionState>): void {
    this.store.setState(change);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    try {
      if (this.#after === undefined) await this.#readStart(signal);
      else this.#readMissed();
      for await (const event of this.#client.events(this.id, { after: this.#after, signal }))
        this.#take(event);
      // The stream of an existing session ends only with its signal.
      if (!signal.aborted) this.#set({ phase: 'missing' });
    } catch (error) {
      if (!signal.aborted) this.#fail(error);
    }
  }

  async #readStart(signal: AbortSignal): Promise<void> {
    const detail = await this.#client.sessions.get(this.id, { signal });
    const page = await this.#client.messages(this.id, { limit: FIRST_PAGE }, { signal });
    this.#known = detail.lastEvent;
    // The last events say how the newest run ended.
    this.#after = Math.max(0, detail.lastEvent - LAST_EVENTS);
    this.#set({
      phase: 'ready',
      detail,
      messages: page.messages,
      hasEarlier: page.hasMore,
      isRunning: detail.state === 'running',
    });
    this.#facts.request();
  }

  /** Not every change has an event with a number, which the stream repeats. */
  #readMissed(): void {
    this.#tail.request();
    this.#facts.request();
  }

  #take(event: LonghaulEvent): void {
    if (event.number !== undefined) this.#after = event.number;
    if (event.type === 'run:started') this.#set({ outcome: undefined });
    if (event.type === 'run:finished') this.#set({ outcome: event });
    if (event.number !== undefined && event.number <= this.#known) return;
    this.#change(event);
    for (const listener of this.#listeners) listener(event);
  }

  #change(event: LonghaulEvent): void {
    switch (event.type) {
      case 'llm:chunk':
        this.live.add(event);
        if (this.#state.activity.kind !== 'writing') this.#set({ activity: { kind: 'writing' } });
        if (!this.#state.messages.some(({ id }) => id === event.messageId)) this.#tail.request();
        return;
      case 'llm:tool-progress':
        this.#set({ progress: withProgress(this.#state.progress, event) });
        return;
      case 'queue:changed':
        this.#facts.request();
        return;
      case 'run:started':
        this.#set({ isRunning: true, activity: { kind: 'starting' } });
        break;
      case 'run:finished':
        this.#set({ isRunning: false, activity: { kind: 'idle' }, progress: new Map() });
        break;
      case 'llm:thinking':
        this.#set({ activity: { kind: 'thinking' } });
        break;
      case 'llm:response':
      case 'llm:error':
        this.#set({ activity: { kind: 'idle' } });
        break;
      case 'session:status':
        if (event.status === 'compacting') this.#set({ activity: { kind: 'compacting' } });
        break;
      case 'llm:retry': {
        const { attempt, reason, nextTryAt = event.at + event.delayMs } = event;
        this.#set({ activity: { kind: 'retrying', attempt, reason, nextTryAt } });
        break;
      }
      case 'context:usage':
        this.#set({ usage: event });
        break;
      case 'context:compressed':
      case 'context:pruned':
      case 'context:undone':
      case 'session:reverted':
      case 'session:unreverted':
        this.#all.request();
        break;
    }
    this.#tail.request();
    this.#facts.request();
  }

  async #readTail(): Promise<void> {
    let after = settledUntil(this.#state.messages);
    for (;;) {
      const page = await this.#client.messages(this.id, { limit: PAGE, after });
      this.#set({ messages: mergeMessages(this.#state.messages, page.messages) });
      for (const { id, status } of page.messages) if (status !== 'running') this.live.drop(id);
      const last = page.messages.at(-1);
      if (!page.hasMore || last === undefined) return;
      after = last.sequence;
    }
  }

  async #readLoadedAgain(): Promise<void> {
    const first = this.#state.messages[0];
    if (first === undefined) return;
    let after = first.sequence - 1;
    for (;;) {
      const page = await this.#client.messages(this.id, { limit: PAGE, after });
      this.#set({ messages: mergeMessages(this.#state.messages, page.messages) });
      const last = page.messages.at(-1);
      if (!page.hasMore || last === undefined) return;
      after = last.sequence;
    }
  }

  /** Reads pages that follow each other, the newest first. */
  async #readPages(befores: readonly number[]): Promise<void> {
    const pages = await Promise.all(
      befores.map((before) => this.#client.messages(this.id, { limit: PAGE, before })),
    );
    this.#set({
      messages: mergeMessages(
        this.#state.messages,
        pages.flatMap(({ messages }) => messages),
      ),
      hasEarlier: pages.at(-1)?.hasMore ?? false,
    });
  }

  async #readFacts(): Promise<void> {
    const [detail, queue, { approvals }, context] = await Promise.all([
      this.#client.sessions.get(this.id),
      this.#client.queue.list(this.id),
      this.#client.approvals.list(this.id, { open: true }),
      this.#client.context(this.id),
    ]);
    const isRunning = detail.state === 'running';
    this.#set({ detail, queue: queue.messages, approvals: isRunning ? approvals : [], context, isRunning });
    if (!isRunning) this.live.clear();
  }

  #fail(error: unknown): void {
    if (this.#ends === undefined) return;
    const { code, message } = toLonghaulError(error);
    const phase = this.#state.phase === 'loading' ? 'failed' : this.#state.phase;
    if (code === 'session_not_found') this.#set({ phase: 'missing' });
    // The page says so, and reopens its sessions when the server answers.
    else if (code !== 'server_unreachable') this.#set({ phase, problem: message });
  }
}

function withProgress(
  progress: ReadonlyMap<string, ToolProgress>,
  { callId, title = '', metadata }: EventOf<'llm:tool-progress'>,
): ReadonlyMap<string, ToolProgress> {
  const lines = metadata?.['lines'];
  const shown = Array.isArray(lines) ? lines.filter((line) => typeof line === 'string') : [];
  return new Map(progress).set(callId, { title, lines: shown });
}
