import type { LonghaulClient } from '@longhaul/client';
import { toLonghaulError } from '@longhaul/protocol';
import type { SearchResult, SessionInfo } from '@longhaul/protocol/api';
import { createStore, type StoreApi } from 'zustand/vanilla';
import { Coalesced } from '../../data/coalesced.ts';
import type { ServerEvents } from '../../data/server-events.ts';

export type SearchHit = SearchResult['hits'][number];

export type SearchState =
  /** Nothing is searched. */
  | { phase: 'idle' }
  | { phase: 'searching'; query: string }
  | {
      phase: 'found';
      query: string;
      /** Sessions with the words in their title or task. */
      sessions: readonly SessionInfo[];
      /** Messages and tool calls with the words. */
      hits: readonly SearchHit[];
      /** The server may have more hits. */
      isCut: boolean;
    }
  | { phase: 'failed'; query: string; problem: string };

/** After the last key: a request for each key would be wasted. */
const PAUSE_MS = 250;
/** Between two searches of the same words. */
const PAUSE_AGAIN_MS = 2_000;
const MOST_HITS = 50;
const MOST_SESSIONS = 10;
/** The server takes this many characters. */
const MOST_CHARS = 200;

/** Searches the messages of all sessions while the words are typed. Only the answer to the newest words is shown. */
export class SessionSearch {
  readonly store: StoreApi<SearchState> = createStore<SearchState>(() => ({ phase: 'idle' }));
  readonly #client: Pick<LonghaulClient, 'search' | 'sessions'>;
  #ends = new AbortController();
  readonly #again = new Coalesced(
    () => this.#searchAgain(),
    // What was found stays; the line about the connection says that the server does not answer.
    (error) => console.warn('The search could not be repeated:', error),
  );
  #pause: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Pick<LonghaulClient, 'search' | 'sessions'>) {
    this.#client = client;
  }

  /** Searches soon. Blank words end the search. */
  type(text: string): void {
    this.#cancel();
    const query = text.trim().slice(0, MOST_CHARS).toWellFormed();
    this.#show(query === '' ? { phase: 'idle' } : { phase: 'searching', query });
    if (query === '') return;
    this.#pause = setTimeout(() => void this.#search(query, this.#ends.signal), PAUSE_MS);
  }

  /** Searches the same words again, after a failure. */
  again(): void {
    const state = this.store.getState();
    if (state.phase !== 'idle') this.type(state.query);
  }

  /** Searches the shown words again when sessions have changed. Returns a function that ends it. */
  follow(events: Pick<ServerEvents, 'subscribe' | 'onGap'>): () => void {
    const ends = [
      events.subscribe(({ type }) => type === 'run:finished' && this.#again.request()),
      events.onGap(() => this.#again.request()),
    ];
    return () => {
      for (const end of ends) end();
    };
  }

  async #searchAgain(): Promise<void> {
    const state = this.store.getState();
    // Words that are typed now are searched anyway.
    if (state.phase !== 'found' || document.hidden) return;
    await this.#find(state.query, this.#ends.signal);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_AGAIN_MS));
  }

  #cancel(): void {
    clearTimeout(this.#pause);
    this.#ends.abort();
    this.#ends = new AbortController();
  }

  async #search(query: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#find(query, signal);
    } catch (error) {
      if (!signal.aborted) this.#show({ phase: 'failed', query, problem: toLonghaulError(error).message });
    }
  }

  async #find(query: string, signal: AbortSignal): Promise<void> {
    const [{ hits }, { sessions }] = await Promise.all([
      this.#client.search({ q: query, limit: MOST_HITS }, { signal }),
      this.#client.sessions.list({ search: query, limit: MOST_SESSIONS, parent: 'any' }, { signal }),
    ]);
    if (!signal.aborted)
      this.#show({ phase: 'found', query, sessions, hits, isCut: hits.length >= MOST_HITS });
  }

  #show(state: SearchState): void {
    this.store.setState(state, true);
  }
}
