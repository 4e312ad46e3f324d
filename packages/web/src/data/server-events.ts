import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';

type Listener = (event: LonghaulEvent) => void;
type TabMessage = { kind: 'event'; event: LonghaulEvent } | { kind: 'gap' };

const NAME = 'longhaul-server-events';
/** After a stream has ended: the time in which it is open again. */
const REOPENED_MS = 1_000;
const RETRY_MS = 5_000;

/**
 * Live events of all runs of the server. A browser opens at most six connections to a server, so only one tab reads
 * the events and sends them to the others. When that tab closes, another one reads. Only numbered events are read: no
 * text while it is written.
 */
export class ServerEvents {
  readonly #client: LonghaulClient;
  readonly #listeners = new Set<Listener>();
  readonly #gapListeners = new Set<() => void>();
  readonly #channel = new BroadcastChannel(NAME);
  #ends: AbortController | undefined;

  constructor(client: LonghaulClient) {
    this.#client = client;
    this.#channel.onmessage = ({ data }: MessageEvent<TabMessage>) => this.#tell(data);
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

  /**
   * Calls the listener when events may be missing, or another process has changed the store: what follows from events
   * is then to be read again.
   */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  close(): void {
    this.#ends?.abort();
    this.#channel.close();
  }

  #start(): void {
    const ends = new AbortController();
    this.#ends = ends;
    const { signal } = ends;
    const read = () => this.#read(signal);
    // Only a secure context has locks: without them every tab reads.
    const reading = navigator.locks === undefined ? read() : navigator.locks.request(NAME, { signal }, read);
    // The request of a lock fails when the signal aborts, which is how it ends.
    void Promise.resolve(reading).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  /** Reads until the signal aborts. Events before it began, and those between two streams, are missing. */
  async #read(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#tellAll({ kind: 'gap' });
      try {
        await this.#readStream(signal);
      } catch (error) {
        console.warn('The events of the server could not be read:', error);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async #readStream(signal: AbortSignal): Promise<void> {
    const onReconnect = () => setTimeout(() => this.#tellAll({ kind: 'gap' }), REOPENED_MS);
    const onChanged = () => this.#tellAll({ kind: 'gap' });
    const options = { numbered: true, signal, onReconnect, onChanged };
    for await (const event of this.#client.allEvents(options)) this.#tellAll({ kind: 'event', event });
  }

  #tellAll(message: TabMessage): void {
    if (this.#ends === undefined) return;
    this.#tell(message);
    // Without locks, the other tabs read themselves.
    if (navigator.locks !== undefined) this.#channel.postMessage(message);
  }

  #tell(message: TabMessage): void {
    if (message.kind === 'event') for (const listener of this.#listeners) listener(message.event);
    else for (const listener of this.#gapListeners) listener();
  }
}
