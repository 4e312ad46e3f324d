import type { LonghaulClient } from '@longhaul/client';
import { type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from '../data/coalesced.ts';
import type { Server } from '../data/server.ts';
import { withChanged, withNewestPage, withOlderPage } from './merge-sessions.ts';

export interface SessionListState {
  /** Newest first. */
  sessions: readonly SessionInfo[];
  hasMore: boolean;
  isLoadingMore: boolean;
  /** Why the list could not be read. */
  problem: string | undefined;
  isLoaded: boolean;
}

const PAGE = 50;
/** At most this often: 50 running sessions change many times a second. */
const PAUSE_MS = 1_000;
/** Changed sessions that are read one by one, because they are not in the newest page. */
const MOST_SINGLE = 20;

/** The sessions of the server. Follows the events of its runs, and the work of other processes. */
export class SessionList {
  readonly store: StoreApi<SessionListState> = createStore<SessionListState>(() => ({
    sessions: [],
    hasMore: false,
    isLoadingMore: false,
    problem: undefined,
    isLoaded: false,
  }));
  readonly #client: LonghaulClient;
  readonly #changed = new Set<string>();
  readonly #hidden = new Set<string>();
  readonly #reading = new Coalesced(
    () => this.#read(),
    (error) => this.#set({ problem: toLonghaulError(error).message }),
  );
  #all: readonly SessionInfo[] = [];

  constructor(client: LonghaulClient) {
    this.#client = client;
  }

  /** Keeps the list current. Returns a function that ends it. */
  follow({ events, connection }: Pick<Server, 'events' | 'connection'>): () => void {
    this.refresh();
    const refreshShown = () => {
      if (!document.hidden) this.refresh();
    };
    const ends = [
      events.subscribe((event) => {
        if (CHANGES.has(event.type)) this.#refreshSession(event.sessionId);
      }),
      events.onGap(refreshShown),
      connection.onReturn(() => this.refresh()),
    ];
    document.addEventListener('visibilitychange', refreshShown);
    return () => {
      document.removeEventListener('visibilitychange', refreshShown);
      for (const end of ends) end();
    };
  }

  /** Reads the newest sessions again, and those that have changed. */
  refresh(): void {
    this.#reading.request();
  }

  /** Reads older sessions. */
  async showMore(): Promise<void> {
    const { hasMore, isLoadingMore } = this.store.getState();
    const last = this.#all.at(-1);
    if (!hasMore || isLoadingMore || last === undefined) return;
    this.#set({ isLoadingMore: true });
    try {
      const page = await this.#client.sessions.list({ ...WANTED, before: last.id });
      this.#show(withOlderPage(this.#all, page.sessions));
      this.#set({ hasMore: page.next !== undefined, problem: undefined });
    } catch (error) {
      const { code, message } = toLonghaulError(error);
      if (code === 'session_not_found') this.#show(this.#all.filter(({ id }) => id !== last.id));
      else this.#set({ problem: message });
    } finally {
      this.#set({ isLoadingMore: false });
    }
  }

  /** Takes a session out of the list, because it is being deleted, or puts it back. */
  hide(sessionId: string, isHidden: boolean): void {
    if (isHidden) this.#hidden.add(sessionId);
    else this.#hidden.delete(sessionId);
    this.#show(this.#all);
    this.refresh();
  }

  /** Shows a changed or new session at once. Children are not in the list itself: their parents' lines read them. */
  put(session: SessionInfo): void {
    if (session.parentId !== undefined) {
      this.#refreshSession(session.parentId);
      return;
    }
    const isKnown = this.#all.some(({ id }) => id === session.id);
    this.#show(
      isKnown
        ? this.#all.map((former) => (former.id === session.id ? { ...former, ...session } : former))
        : [session, ...this.#all],
    );
    this.refresh();
  }

  #refreshSession(sessionId: string): void {
    this.#changed.add(sessionId);
    this.refresh();
  }

  async #read(): Promise<void> {
    const page = await this.#client.sessions.list(WANTED);
    const inPage = new Set(page.sessions.map(({ id }) => id));
    const others = [...this.#changed].filter(
      (id) => !inPage.has(id) && this.#all.some((one) => one.id === id),
    );
    this.#changed.clear();
    const { read, deleted } = await this.#readOnes(others.slice(0, MOST_SINGLE));
    const { sessions, hasGap } = withNewestPage(this.#all, page.sessions);
    const { isLoaded } = this.store.getState();
    if (!isLoaded || hasGap) this.#set({ hasMore: page.next !== undefined });
    this.#show(withChanged(sessions, { read, deleted }));
    this.#set({ problem: undefined, isLoaded: true });
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }

  async #readOnes(ids: readonly string[]): Promise<{ read: SessionInfo[]; deleted: ReadonlySet<string> }> {
    const deleted = new Set<string>();
    const read = await Promise.all(
      ids.map(async (id) => {
        try {
          return [await this.#client.sessions.get(id, { figures: 'true' })];
        } catch (error) {
          if (toLonghaulError(error).code !== 'session_not_found') throw error;
          deleted.add(id);
          return [];
        }
      }),
    );
    return { read: read.flat(), deleted };
  }

  #show(sessions: readonly SessionInfo[]): void {
    this.#all = sessions;
    const shown = this.#hidden.size === 0 ? sessions : sessions.filter(({ id }) => !this.#hidden.has(id));
    if (shown !== this.store.getState().sessions) this.#set({ sessions: shown });
  }

  #set(change: Partial<SessionListState>): void {
    this.store.setState(change);
  }
}

const WANTED = { limit: PAGE, figures: 'true' } as const;

/** Events that change what a line of the list shows. */
const CHANGES: ReadonlySet<LonghaulEvent['type']> = new Set([
  'run:waiting',
  'run:started',
  'run:finished',
  'llm:response',
  'subtask:started',
  'subtask:finished',
  'approval:requested',
  'approval:answered',
  'message:queued',
  'message:dequeued',
  'queue:changed',
  'context:compressed',
  'context:undone',
  'session:reverted',
  'session:unreverted',
  'session:titled',
]);
