import { currentClaimant, type Store } from '@longhaul/core';
import type { LonghaulEvent } from '@longhaul/protocol';
import type { ClusterAddress } from './cluster-address.ts';
import { openOwnerStream } from './owner-stream.ts';

export interface OwnerLinkOptions {
  cluster: ClusterAddress;
  store: Pick<Store, 'leaseHolder'>;
  sessionId: string;
  onEvent: (event: LonghaulEvent) => void;
  /** Called when a stream that was open has ended. */
  onEnd: () => void;
}

/** The stream of a session from the server that drives it, if another one does. */
export class OwnerLink {
  readonly #options: OwnerLinkOptions;
  #stream: ({ runId: string; arrived: number } & Disposable) | undefined;
  #isHere = false;
  #checking: Promise<void> | undefined;
  /** Number of the times that the link was closed. */
  #closed = 0;

  constructor(options: OwnerLinkOptions) {
    this.#options = options;
  }

  /** Whether the stream of another server is open. */
  get isOpen(): boolean {
    return this.#stream !== undefined;
  }

  /** Number of the events that have arrived from the other server. */
  get arrived(): number {
    return this.#stream?.arrived ?? 0;
  }

  /** Whether all events arrive without reading the store: from another server, or because this one drives the session. */
  get isLive(): boolean {
    return this.isOpen || this.#isHere;
  }

  /** Opens the stream of the server that drives the session now. Closes that of another one. */
  async check(): Promise<void> {
    this.#checking ??= this.#check().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  close(): void {
    this.#closed += 1;
    this.#isHere = false;
    this.#endStream();
  }

  async #check(): Promise<void> {
    const { store, sessionId, cluster } = this.#options;
    const closed = this.#closed;
    // A store that fails is reported by the reader itself, and the next check may succeed.
    const holder = await store.leaseHolder(sessionId, currentClaimant()).catch(() => undefined);
    if (closed !== this.#closed) return;
    this.#isHere = holder?.address !== undefined && holder.address === cluster.current;
    if (holder !== undefined && holder.runId === this.#stream?.runId) return;
    this.#endStream();
    if (holder?.address !== undefined && !this.#isHere) this.#open(holder.runId, holder.address);
  }

  #open(runId: string, address: string): void {
    const { cluster, sessionId, onEvent, onEnd } = this.#options;
    const opened = openOwnerStream({
      address,
      secret: cluster.secret,
      sessionId,
      onEvent: (event) => {
        if (this.#stream !== stream) return;
        stream.arrived += 1;
        onEvent(event);
      },
      onEnd: () => {
        if (this.#stream !== stream) return;
        this.#stream = undefined;
        onEnd();
      },
    });
    const stream = { runId, arrived: 0, [Symbol.dispose]: () => opened[Symbol.dispose]() };
    this.#stream = stream;
  }

  #endStream(): void {
    const stream = this.#stream;
    this.#stream = undefined;
    stream?.[Symbol.dispose]();
  }
}
