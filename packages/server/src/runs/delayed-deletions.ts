import { assertDeletable, type Runtime, type Store } from '@longhaul/core';
import { isObject, type Session, toLonghaulError } from '@longhaul/protocol';
import type { FailureLog } from '../failure-log.ts';

/** The key of the store's settings. Its value has the time of each deletion, by session. */
const KEY = 'deletions';

export interface DelayedDeletionsOptions {
  store: Store;
  runtime: Pick<Runtime, 'subscribe' | 'endKeptCommands'>;
  /** Called after a session was deleted, also for each of its children. */
  onDeleted: (sessionId: string) => void;
  failed: FailureLog;
}

/**
 * Deletes sessions after a time in which that can be taken back. The times are stored, so a deletion also happens if
 * the server stops in the meantime. A session that is used in the meantime is kept. Children are deleted, hidden and kept
 * with their parents.
 */
export class DelayedDeletions implements Disposable {
  readonly #options: DelayedDeletionsOptions;
  readonly #unsubscribe: () => void;
  readonly #due = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;
  #saved: Promise<void> = Promise.resolve();

  private constructor(options: DelayedDeletionsOptions) {
    this.#options = options;
    this.#unsubscribe = options.runtime.subscribe(({ type, sessionId }) => {
      const isUsed = type === 'run:started' || type === 'message:queued';
      if (isUsed && this.#due.size > 0) this.#keep(sessionId);
    });
  }

  static async open(options: DelayedDeletionsOptions): Promise<DelayedDeletions> {
    const deletions = new DelayedDeletions(options);
    const stored = await options.store.getSetting(KEY);
    for (const [sessionId, at] of Object.entries(isObject(stored) ? stored : {}))
      if (typeof at === 'number') deletions.#due.set(sessionId, at);
    deletions.#wait();
    return deletions;
  }

  /** Whether the session is deleted soon, by itself or with the session that has started it. */
  async includes(session: Pick<Session, 'id' | 'parentId'>): Promise<boolean> {
    return this.#due.size > 0 && (await this.#cause(session)) !== undefined;
  }

  async schedule(sessionId: string, afterMs: number): Promise<void> {
    this.#due.set(sessionId, Date.now() + afterMs);
    this.#wait();
    await this.#save();
  }

  /** Returns false if no deletion of the session is pending. */
  async takeBack(sessionId: string): Promise<boolean> {
    if (!this.#due.delete(sessionId)) return false;
    await this.#save();
    return true;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#due.clear();
  }

  #keep(sessionId: string): void {
    const keep = async () => {
      // At once, because the deletion may be due.
      if (await this.takeBack(sessionId)) return;
      const session = await this.#options.store.getSession(sessionId);
      const cause = session && (await this.#cause(session));
      if (cause !== undefined) await this.takeBack(cause);
    };
    keep().catch((error: unknown) => this.#options.failed('keeping a session', error));
  }

  /** Returns the session whose deletion includes this one: itself or an ancestor. */
  async #cause({ id, parentId }: Pick<Session, 'id' | 'parentId'>): Promise<string | undefined> {
    if (this.#due.has(id)) return id;
    const parent = parentId === undefined ? undefined : await this.#options.store.getSession(parentId);
    return parent && (await this.#cause(parent));
  }

  /** Waits for the next deletion. */
  #wait(): void {
    clearTimeout(this.#timer);
    if (this.#due.size === 0) return;
    const ms = Math.max(0, Math.min(...this.#due.values()) - Date.now());
    this.#timer = setTimeout(() => void this.#deleteDue(), Math.min(ms, MAX_TIMER_MS)).unref();
  }

  async #deleteDue(): Promise<void> {
    const now = Date.now();
    const due = [...this.#due].flatMap(([sessionId, at]) => (at <= now ? [sessionId] : []));
    try {
      for (const sessionId of due) await this.#delete(sessionId);
      await this.#save();
    } catch (error) {
      this.#options.failed('deleting a session', error);
    }
    this.#wait();
  }

  async #delete(sessionId: string): Promise<void> {
    const { store, runtime, onDeleted } = this.#options;
    const session = await store.getSession(sessionId);
    const family = session && (await this.#familyToDelete(session));
    // It was taken back while the store was read.
    if (!this.#due.delete(sessionId) || family === undefined) return;
    for (const id of family) await runtime.endKeptCommands(id);
    await store.deleteSession(sessionId);
    for (const id of family) onDeleted(id);
  }

  /** Returns undefined if one of the family is in use, so that it is kept. */
  async #familyToDelete(session: Session): Promise<string[] | undefined> {
    try {
      return await assertDeletable(this.#options.store, session);
    } catch (error) {
      if (toLonghaulError(error).code === 'session_busy') return undefined;
      throw error;
    }
  }

  /** One write after another, so that an older state never replaces a newer one. */
  #save(): Promise<void> {
    const write = () =>
      this.#options.store.putSetting(KEY, this.#due.size === 0 ? undefined : Object.fromEntries(this.#due));
    this.#saved = this.#saved.then(write, write);
    return this.#saved;
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;
