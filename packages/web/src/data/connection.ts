import { createStore, type StoreApi } from 'zustand/vanilla';
import { serverPath } from '../access/page-place.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 8_000;
/** A proxy sends these when the server behind it does not answer. */
const FROM_PROXY = new Set([502, 503, 504]);

/**
 * Whether the server answers. Every request shows it. After a failed one, the server is asked until it answers, and
 * then everything that reads from it starts again.
 */
export class Connection {
  readonly store: StoreApi<{ isOnline: boolean }> = createStore(() => ({ isOnline: true }));
  readonly #returned = new Set<() => void>();
  #probing: AbortController | undefined;

  constructor() {
    globalThis.addEventListener?.('online', () => this.#probeNow());
    globalThis.addEventListener?.('offline', () => this.#probeNow());
  }

  /** Calls the listener each time the server answers again. */
  onReturn(listener: () => void): () => void {
    this.#returned.add(listener);
    return () => this.#returned.delete(listener);
  }

  /** Draws conclusions from a request. */
  async watch(request: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
    try {
      const response = await request;
      if (!FROM_PROXY.has(response.status)) this.#answered();
      return response;
    } catch (error) {
      if (signal?.aborted !== true) this.#lost();
      throw error;
    }
  }

  #answered(): void {
    this.#probing?.abort();
    this.#probing = undefined;
    if (this.store.getState().isOnline) return;
    this.store.setState({ isOnline: true });
    for (const listener of this.#returned) listener();
  }

  #lost(): void {
    this.store.setState({ isOnline: false });
    if (this.#probing === undefined) this.#probeNow();
  }

  #probeNow(): void {
    this.#probing?.abort();
    this.#probing = new AbortController();
    void this.#probe(this.#probing.signal);
  }

  async #probe(signal: AbortSignal): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      if (await isAnswering(signal)) return this.#answered();
      if (signal.aborted) return;
      this.store.setState({ isOnline: false });
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }
}

async function isAnswering(signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(serverPath('/healthz'), {
      cache: 'no-store',
      signal: AbortSignal.any([signal, AbortSignal.timeout(LONGEST_WAIT_MS)]),
    });
    return response.ok;
  } catch {
    return false;
  }
}
