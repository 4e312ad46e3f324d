import { LonghaulError } from '@longhaul/protocol';
import type { CancelSignal } from '../strategy.ts';

/** @throws {LonghaulError} `cancelled` */
export function throwIfAborted(signal: CancelSignal | undefined): void {
  if (signal?.aborted === true) throw cancelled(undefined);
}

export function cancelled(cause: unknown): LonghaulError {
  if (isCancelled(cause)) return cause;
  return new LonghaulError('cancelled', 'The compaction was cancelled.', { cause });
}

export function isCancelled(error: unknown): error is LonghaulError {
  return error instanceof LonghaulError && error.code === 'cancelled';
}

/**
 * Waits for work that someone else does. An abort ends the wait, not the work.
 *
 * @throws {LonghaulError} `cancelled` as soon as the signal is aborted.
 */
export async function untilAborted<T>(work: Promise<T>, signal: CancelSignal | undefined): Promise<T> {
  throwIfAborted(signal);
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(cancelled(undefined));
  });
  signal?.addEventListener?.('abort', stop);
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal?.removeEventListener?.('abort', stop);
  }
}
