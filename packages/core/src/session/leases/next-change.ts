import type { Store } from '../../ports/index.ts';

/**
 * Waits for a change in the store. Listens from the call on, so that a change between reading the state and waiting is
 * not missed. Also resolves after `timeoutMs` and when the signal aborts.
 */
export function nextChange(
  store: Store,
  timeoutMs: number,
  signal?: AbortSignal,
): { happened: Promise<void> } & Disposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeoutMs);
  const watch = store.watch(resolve);
  const onAbort = () => resolve();
  if (signal?.aborted === true) resolve();
  signal?.addEventListener('abort', onAbort);
  return {
    happened: promise,
    [Symbol.dispose]() {
      clearTimeout(timer);
      watch[Symbol.dispose]();
      signal?.removeEventListener('abort', onAbort);
    },
  };
}
