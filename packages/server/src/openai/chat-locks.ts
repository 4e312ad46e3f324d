import { LonghaulError } from '@longhaul/protocol';

const MAX_WAITING = 8;

/** Allows one turn of a chat at a time. Later requests wait for its end. */
export class ChatLocks {
  readonly #held = new Map<string, (() => void)[]>();

  isHeld(key: string): boolean {
    return this.#held.has(key);
  }

  /** @throws {LonghaulError} `rate_limited` if too many requests wait; `cancelled` if the signal aborts first. */
  async take(key: string, signal: AbortSignal): Promise<Disposable> {
    const waiting = this.#held.get(key);
    if (waiting === undefined) this.#held.set(key, []);
    else await waitIn(waiting, signal);
    return { [Symbol.dispose]: () => this.#release(key) };
  }

  #release(key: string): void {
    const next = this.#held.get(key)?.shift();
    if (next === undefined) this.#held.delete(key);
    else next();
  }
}

async function waitIn(waiting: (() => void)[], signal: AbortSignal): Promise<void> {
  if (waiting.length >= MAX_WAITING) {
    const message = `${waiting.length} requests already wait for this chat. Retry after they are answered.`;
    throw new LonghaulError('rate_limited', message, { data: { retryAfterSeconds: 30 } });
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onAbort = () => {
    waiting.splice(waiting.indexOf(resolve), 1);
    reject(new LonghaulError('cancelled', 'The client disconnected before its request was processed.'));
  };
  waiting.push(resolve);
  if (signal.aborted) onAbort();
  else signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
