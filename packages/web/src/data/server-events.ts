import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';

type Listener = (event: LonghaulEvent) => void;

const NAME = 'longhaul-server-events';

/**
 * Live events of all runs of the server. A browser opens at most six connections to a server, so only one tab reads
 * the events and sends them to the others. Text while it is written is left out.
 */
export class ServerEvents {
  readonly #client: LonghaulClient;
  readonly #listeners = new Set<Listener>();
  readonly #channel = new BroadcastChannel(NAME);
  #ends: AbortController | undefined;

  constructor(client: LonghaulClient) {
    this.#client = client;
    this.#channel.onmessage = ({ data }: MessageEvent<LonghaulEvent>) => this.#tell(data);
  }

  subscribe(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#ends === undefined) this.#start();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#ends?.abort();
      this.#ends = undefined;
    };
  }

  #start(): void {
    const ends = new AbortController();
    this.#ends = ends;
    const { signal } = ends;
    const read = () => this.#read(signal);
    // Only a secure context has locks: without them every tab reads.
    const reading = navigator.locks === undefined ? read() : navigator.locks.request(NAME, { signal }, read);
    void Promise.resolve(reading).catch(() => undefined);
  }

  async #read(signal: AbortSignal): Promise<void> {
    for await (const event of this.#client.allEvents({ signal })) {
      if (event.type === 'llm:chunk' || event.type === 'llm:tool-progress') continue;
      this.#tell(event);
      this.#channel.postMessage(event);
    }
  }

  #tell(event: LonghaulEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}
