import type { Store } from '../../ports/index.ts';

/** Listens from now on, so that nothing between a look and the waiting is missed. Over at the latest after `atMostMs`, or on the signal. */
export function nextChange(
  store: Store,
  atMostMs: number,
  signal?: AbortSignal,
): { happened: Promise<void> } & Disposable {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, atMostMs);
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
