const MAX_DELAY_MS = 30_000;

/**
 * Returns the milliseconds before the next retry. The delay doubles with each attempt, up to 30 s, and has a random
 * part, so that many clients do not retry at the same time.
 */
export function backoffMs(attempt: number, firstMs: number): number {
  return Math.min(MAX_DELAY_MS, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Waits for `ms` milliseconds. Resolves early if the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal?.addEventListener('abort', end);
  });
}
