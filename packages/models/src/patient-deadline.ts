const TICKS = 10;

/**
 * Aborts after `timeoutMs` during which this process could read an answer. If the process is suspended in the meantime
 * (it loads code, or the machine is busy or asleep), an answer waits unread. Such a pause counts as at most a tenth of
 * the time.
 */
export function patientDeadline(timeoutMs: number): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  let left = TICKS;
  let timer = setTimeout(tick, timeoutMs / TICKS);
  function tick(): void {
    left -= 1;
    if (left > 0) timer = setTimeout(tick, timeoutMs / TICKS);
    else controller.abort(new DOMException('There was no answer in time.', 'TimeoutError'));
  }
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => clearTimeout(timer),
  };
}
