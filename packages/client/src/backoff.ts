const MAX_DELAY_MS = 30_000;

/** Milliseconds before the next try: doubling, spread by chance so that many clients do not come back at once. */
export function backoffMs(attempt: number, firstMs: number): number {
  return Math.min(MAX_DELAY_MS, firstMs * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2);
}

/** Ends early, without an error, when the signal aborts. */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted === true) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  const onAbort = () => resolve();
  signal?.addEventListener('abort', onAbort);
  try {
    await promise;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}
