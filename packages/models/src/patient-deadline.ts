const TICKS = 10;

/**
 * Aborts after so much time in which an answer could have been read. Where this process stands still meanwhile (it loads code, the machine is
 * busy or asleep), an answer waits unread: that time counts for a tenth at the most.
 */
export function patientDeadline(timeoutMs: number): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let left = TICKS;
  let timer = setTimeout(tick, timeoutMs / TICKS);
  function tick(): void {
    left -= 1;
    if (left > 0) timer = setTimeout(tick, timeoutMs / TICKS);
    else controller.abort(new DOMException('The time for an answer is over.', 'TimeoutError'));
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
