import { LonghaulError } from '@longhaul/protocol';

/**
 * Wraps a clean-up for `await using` and `using`. It runs on return, throw and abort, in reverse order of declaration.
 *
 * `await using` waits for the clean-up. `using` cannot wait: it starts an asynchronous clean-up and throws `internal`.
 * A later failure of that clean-up is ignored. The types allow `using` only for a synchronous clean-up.
 *
 * @example await using _lease = defer(() => store.releaseLease(lease));
 * @throws {LonghaulError} `internal` from `Symbol.dispose` if the clean-up returns a promise.
 */
export function defer(cleanUp: () => Promise<unknown>): AsyncDisposable;
export function defer(cleanUp: () => void): Disposable & AsyncDisposable;
export function defer(cleanUp: () => unknown): Disposable & AsyncDisposable {
  return {
    [Symbol.dispose]() {
      const result = cleanUp();
      if (!(result instanceof Promise)) return;
      // Keeps a later failure from ending the process as an unhandled rejection.
      result.catch(() => undefined);
      throw new LonghaulError(
        'internal',
        'This clean-up is asynchronous and is still running: declare it with `await using`, not `using`.',
      );
    },
    async [Symbol.asyncDispose]() {
      await cleanUp();
    },
  };
}
