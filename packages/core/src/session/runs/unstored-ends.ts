import { toLonghaulError } from '@longhaul/protocol';
import type { SessionWriter } from '../session-writer.ts';

/** Interval at which the store is tried again. */
const RETRY_MS = 1_000;

/**
 * Keeps the ends of runs that the store refused, for example because the disk was full, and stores each as soon as the
 * store works again. Until then, the session has its lease, so nobody can take it.
 */
export class UnstoredEnds {
  readonly #ends = new Map<string, () => Promise<unknown>>();
  #timer: NodeJS.Timeout | undefined;

  /** Takes over the end that the writer could not store. Does nothing if there is none. */
  keep(writer: SessionWriter): void {
    const end = writer.unstoredEnd;
    if (end === undefined) return;
    this.#ends.set(writer.lease.sessionId, () => writer.finishRun(end));
    this.#timer ??= setInterval(() => void this.#retryAll(), RETRY_MS).unref();
  }

  /**
   * Stores the end of the session's last run now, if one is kept.
   *
   * @throws {LonghaulError} The store's error, if it still refuses the end.
   */
  async store(sessionId: string): Promise<void> {
    const finish = this.#ends.get(sessionId);
    if (finish === undefined) return;
    try {
      await finish();
    } catch (error) {
      if (!isOver(error)) throw error;
    }
    if (this.#ends.get(sessionId) === finish) this.#ends.delete(sessionId);
    if (this.#ends.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #retryAll(): Promise<void> {
    for (const sessionId of [...this.#ends.keys()]) {
      // The same problem is reported by the run itself, and by the next operation on the session.
      await this.store(sessionId).catch(() => undefined);
    }
  }
}

/** Whether another process has taken the session and closed the run, or the session was deleted. */
function isOver(error: unknown): boolean {
  const { code } = toLonghaulError(error);
  return code === 'lease_lost' || code === 'session_not_found';
}
