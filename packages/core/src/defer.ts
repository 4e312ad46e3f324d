/**
 * Clean-up for `using` and `await using`: runs on return, throw and abort alike, in reverse order of declaration.
 *
 * @example await using _lease = defer(() => store.releaseLease(lease));
 */
export function defer(cleanUp: () => void | Promise<void>): AsyncDisposable {
  return {
    async [Symbol.asyncDispose]() {
      await cleanUp();
    },
  };
}
