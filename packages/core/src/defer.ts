import { LonghaulError } from '@longhaul/protocol';

/**
 * Wraps a clean-up for `await using` and `using`. It runs on return, throw and abort, in reverse order of declaration.
 *
 * `await using` waits for the clean-up. `using` runs it, but cannot wait: an asynchronous clean-up is started and `internal` is thrown,
 * which also stands for the clean-up's own failure. The types allow `using` only for a synchronous clean-up.
 *
 * @example await using _lease = defer(() => store.releaseLease(lease));
 * @throws {LonghaulError} `internal` from `Symbol.dispose`, if the clean-up returned a promise.
 */
export function defer(cleanUp: () => Promise<unknown>): AsyncDisposable;
export function defer(cleanUp: () => void): Disposable & AsyncDisposable;
export function defer(cleanUp: () => unknown): Disposable & AsyncDisposable {
  return {
    [Symbol.dispose]() {
      const result = cleanUp();
      if (!(result instanceof Promise)) return;
      // The error below reports it; an unhandled rejection would end the process.
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
