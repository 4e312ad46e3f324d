import type { Store } from '@longhaul/core';
import { OwnerLink, type OwnerLinkOptions } from './owner-link.ts';

export interface OwnerWatchOptions extends Pick<OwnerLinkOptions, 'cluster' | 'sessionId' | 'onEvent'> {
  store: Pick<Store, 'leaseHolder' | 'lastEventNumber'>;
  hasReaders: () => boolean;
  /** The number of the last event that the readers got. */
  lastNumber: () => number;
  /** Reads the store, because its events do not arrive by themselves. */
  read: () => void;
  /** The stream has ended, or it is silent although the store has newer events. */
  onUnlinked: () => void;
}

/** With the stream of the server that drives the session, the store is read once in this time, if it has changed. */
const LINKED_READ_MS = 1_000;
/** A server that does not answer is asked again after this time. */
const LINK_AGAIN_MS = 500;

/** Keeps the stream of the server that drives a session, as long as the session has readers here. */
export class OwnerWatch {
  readonly #options: OwnerWatchOptions;
  readonly #link: OwnerLink;
  /** How many events the owner had sent when the store had newer ones. */
  #arrivedBehind: number | undefined;
  /** When the owner was looked for. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #later: NodeJS.Timeout | undefined;

  constructor(options: OwnerWatchOptions) {
    this.#options = options;
    this.#link = new OwnerLink({ ...options, onEnd: options.onUnlinked });
  }

  get isOpen(): boolean {
    return this.#link.isOpen;
  }

  /** See `OwnerLink.isLive`. */
  get isLive(): boolean {
    return this.#link.isLive;
  }

  /** Whether the owner has sent something. */
  get isUsed(): boolean {
    return this.#link.arrived > 0;
  }

  /** Opens the stream of the server that drives the session, if another one does. */
  look({ isChanged = false } = {}): void {
    if (!this.#options.hasReaders()) return;
    if (!isChanged && performance.now() - this.#lookedAt < LINK_AGAIN_MS) return;
    this.#lookedAt = performance.now();
    void this.#link.check();
  }

  /** Compares the stream with the store in a while, or reads the store then if nothing has arrived. */
  readLater(): void {
    this.#later ??= setTimeout(() => {
      this.#later = undefined;
      if (!this.#options.hasReaders()) return;
      if (this.isUsed) void this.#compare();
      else this.#options.read();
    }, untilNextRead()).unref();
  }

  /** Closes the stream: without readers, nothing is read. */
  rest(): void {
    clearTimeout(this.#later);
    this.#later = undefined;
    this.#link.close();
  }

  /**
   * Events that the store has before they arrive are not read: they would overtake the text before them. If nothing
   * arrives for a while instead, the owner may be lost, or another server may have taken the session.
   */
  async #compare(): Promise<void> {
    const { arrived } = this.#link;
    const isBehind = await this.#isBehind();
    if (!this.#options.hasReaders()) return;
    const isSilent = isBehind && this.isUsed && this.#arrivedBehind === arrived;
    this.#arrivedBehind = isBehind && !isSilent ? arrived : undefined;
    if (isSilent) {
      this.#link.close();
      this.#options.onUnlinked();
    } else if (isBehind) this.readLater();
  }

  async #isBehind(): Promise<boolean> {
    const { store, sessionId, lastNumber } = this.#options;
    try {
      return (await store.lastEventNumber(sessionId)) > lastNumber();
    } catch {
      // A read reports the error.
      return true;
    }
  }
}

/** All sessions ask the store at the same times, so that it can answer with one query. */
function untilNextRead(): number {
  return LINKED_READ_MS - (performance.now() % LINKED_READ_MS);
}
