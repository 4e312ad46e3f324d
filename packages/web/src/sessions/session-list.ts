import type { LonghaulClient } from '@longhaul/client';
import { type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from '../data/coalesced.ts';
import type { ServerEvents } from '../data/server-events.ts';

export interface SessionListState {
  sessions: readonly SessionInfo[];
  hasMore: boolean;
  /** Why the list could not be read. */
  problem: string | undefined;
  isLoaded: boolean;
}

const PAGE = 50;

/** The sessions of the server, newest first. Follows the events of its runs. */
export class SessionList {
  readonly store: StoreApi<SessionListState> = createStore<SessionListState>(() => ({
    sessions: [],
    hasMore: false,
    problem: undefined,
    isLoaded: false,
  }));
  readonly #client: LonghaulClient;
  readonly #reading = new Coalesced(
    () => this.#read(),
    (error) => this.store.setState({ problem: toLonghaulError(error).message }),
  );
  #shown = PAGE;

  constructor(client: LonghaulClient) {
    this.#client = client;
  }

  /** Returns a function that ends it. */
  follow(events: ServerEvents): () => void {
    this.refresh();
    return events.subscribe((event) => {
      if (CHANGES.has(event.type)) this.refresh();
    });
  }

  refresh(): void {
    this.#reading.request();
  }

  showMore(): void {
    this.#shown += PAGE;
    this.refresh();
  }

  async #read(): Promise<void> {
    const sessions: SessionInfo[] = [];
    let before: string | undefined;
    do {
      const page = await this.#client.sessions.list({ limit: PAGE, ...(before !== undefined && { before }) });
      sessions.push(...page.sessions);
      before = page.next;
    } while (before !== undefined && sessions.length < this.#shown);
    this.store.setState({ sessions, hasMore: before !== undefined, isLoaded: true, problem: undefined });
  }
}

/** Events that change what a line of the list shows. */
const CHANGES: ReadonlySet<LonghaulEvent['type']> = new Set([
  'run:started',
  'run:finished',
  'llm:response',
  'approval:requested',
  'approval:answered',
  'session:reverted',
]);
