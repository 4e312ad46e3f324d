import type { CompactionDetail, GatewayPageState, PageSettingsChange } from '@longhaul/protocol/gateway-page';
import { createStore, type StoreApi } from 'zustand/vanilla';
import type { Access } from '../access/access.ts';
import { bearer } from '../access/check-access.ts';
import { serverPath } from '../access/page-place.ts';
import { eventData } from './event-data.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 5_000;

export interface ShownGateway {
  /** Undefined: nothing was read yet. */
  state: GatewayPageState | undefined;
  isOnline: boolean;
}

/** The gateway of this page: its state as it changes, and changes of its settings. */
export class GatewayServer {
  readonly store: StoreApi<ShownGateway> = createStore<ShownGateway>(() => ({
    state: undefined,
    isOnline: true,
  }));
  readonly #access: Access;

  constructor(access: Access) {
    this.#access = access;
  }

  /** Reads the state as it changes, until the signal aborts. Connects again if the connection is lost. */
  async read(signal = new AbortController().signal): Promise<void> {
    for (let wait = FIRST_WAIT_MS; !signal.aborted; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
      try {
        const { body } = await this.#request('/page/events', { signal });
        if (body === null) throw new Error('The answer has no body.');
        for await (const data of eventData(body)) {
          wait = FIRST_WAIT_MS;
          this.store.setState({ state: JSON.parse(data), isOnline: true });
        }
      } catch (error) {
        if (signal.aborted) return;
        console.warn('The gateway could not be read:', error);
      }
      this.store.setState({ isOnline: false });
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
  }

  /** @throws With the reason of the gateway. */
  async change(change: PageSettingsChange): Promise<void> {
    const answer = await this.#request('/page/settings', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(change),
    });
    this.store.setState({ state: await answer.json() });
  }

  /** @throws With the reason of the gateway. */
  async compaction(id: string): Promise<CompactionDetail> {
    return (await this.#request(`/page/compaction?id=${encodeURIComponent(id)}`, {})).json();
  }

  /** Sends a request with the token of this tab. If it is no longer accepted, waits for another one. */
  async #request(path: string, init: RequestInit): Promise<Response> {
    for (;;) {
      await this.#access.whenOpen(init.signal);
      const { token } = this.#access;
      const answer = await fetch(serverPath(path), {
        ...init,
        headers: { ...init.headers, ...bearer(token) },
      });
      if (answer.ok) return answer;
      if (answer.status !== 401) throw new Error(await reasonOf(answer));
      this.#access.refuse(token);
    }
  }
}

async function reasonOf(answer: Response): Promise<string> {
  const body: { error?: { message?: unknown } } = await answer.json();
  const message = body.error?.message;
  return typeof message === 'string' ? message : `The gateway answered with status ${answer.status}.`;
}
