import { LonghaulError } from '@longhaul/protocol';

interface Work<T> {
  result: Promise<T>;
  controller: AbortController;
  waiting: number;
}

/**
 * Runs work once for several concurrent callers with the same key. Each caller can abort its own wait. When the last
 * caller has left, the work is aborted, and the next caller starts it again.
 */
export class SharedWork<T> {
  readonly #running = new Map<string, Work<T>>();

  /** @throws {LonghaulError} `cancelled` once `signal` is aborted. */
  async run(
    key: string,
    signal: AbortSignal | undefined,
    start: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    if (signal?.aborted === true) throw cancelled(signal);
    const work = this.#running.get(key) ?? this.#start(key, start);
    work.waiting += 1;
    const left = Promise.withResolvers<never>();
    const leave = () => left.reject(cancelled(signal));
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([work.result, left.promise]);
    } finally {
      signal?.removeEventListener('abort', leave);
      work.waiting -= 1;
      if (work.waiting === 0) this.#stop(key, work);
    }
  }

  #start(key: string, start: (signal: AbortSignal) => Promise<T>): Work<T> {
    const controller = new AbortController();
    const result = start(controller.signal);
    const work = { result, controller, waiting: 0 };
    this.#running.set(key, work);
    // Waiting callers get the error from `result` itself. Without callers, the error is dropped.
    result.catch(() => {}).finally(() => this.#remove(key, work));
    return work;
  }

  #stop(key: string, work: Work<T>): void {
    this.#remove(key, work);
    work.controller.abort();
  }

  #remove(key: string, work: Work<T>): void {
    if (this.#running.get(key) === work) this.#running.delete(key);
  }
}

function cancelled(signal: AbortSignal | undefined): LonghaulError {
  return new LonghaulError(
    'cancelled',
    'The client disconnected while its conversation was being compacted.',
    {
      cause: signal?.reason,
    },
  );
}
