/**
 * Waits for work that others may need too. An abort ends the wait, not the work.
 *
 * @param reason What is thrown then. Default: the reason of the signal.
 */
export async function untilAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = () => reject(reason());
  signal.addEventListener('abort', abort, { once: true });
  try {
    if (signal.aborted) abort();
    return await Promise.race([aborted, work]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
