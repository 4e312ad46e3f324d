import { currentClaimant, type Store } from '@longhaul/core';
import type { Logger } from 'pino';
import { mayContinue } from './left-sessions.ts';

/** Interval at which it is checked whether another process has released its sessions. */
const CHECK_MS = 1_000;

export interface AdoptedSessionsOptions {
  store: Store;
  start: (sessionId: string) => Promise<unknown>;
  log: Logger;
}

/**
 * Continues sessions of another process when that process releases them or dies: what it left unfinished, and messages
 * that it has not taken.
 */
export class AdoptedSessions implements Disposable {
  readonly #options: AdoptedSessionsOptions;
  readonly #watched = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #isChecking = false;
  #isDisposed = false;

  constructor(options: AdoptedSessionsOptions) {
    this.#options = options;
  }

  add(sessionId: string): void {
    if (this.#isDisposed) return;
    this.#watched.add(sessionId);
    this.#timer ??= setInterval(() => void this.#checkAll(), CHECK_MS).unref();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.#watched.clear();
    clearInterval(this.#timer);
  }

  async #checkAll(): Promise<void> {
    if (this.#isChecking) return;
    this.#isChecking = true;
    for (const sessionId of [...this.#watched]) await this.#check(sessionId);
    this.#isChecking = false;
    if (this.#watched.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #check(sessionId: string): Promise<void> {
    const { store, start, log } = this.#options;
    try {
      const session = await store.getSession(sessionId);
      const isHeld =
        session !== undefined && (await store.leaseHolder(sessionId, currentClaimant())) !== undefined;
      if (isHeld || !this.#watched.delete(sessionId)) return;
      if (!(await mayContinue(store, sessionId))) return;
      log.info({ sessionId }, 'continuing a session that another process has left');
      await start(sessionId);
    } catch (error) {
      // The store may work again at the next check.
      log.warn({ sessionId, err: error }, 'continuing a session of another process failed');
    }
  }
}
