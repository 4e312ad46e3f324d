import { LonghaulError } from '@longhaul/protocol';

interface Work<T> {
  result: Promise<T>;
  controller: AbortController;
  waiting: number;
}

/**
 * Work that several ask for at once is done once. Each may leave; when the last one has left, the work is stopped, and whoever comes then
 * starts anew.
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
    // Whoever waits is told; when nobody does any more, there is nobody to tell.
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

export function cancelled(signal: AbortSignal | undefined): LonghaulError {
  return new LonghaulError('cancelled', 'The client went away while its conversation was compacted.', {
    cause: signal?.reason,
  });
}
