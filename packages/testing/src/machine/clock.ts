import { onTestFinished, vi } from 'vitest';

/** What reads the clock in the code under test: the date, intervals and immediates stay real. */
const FAKED = ['setTimeout', 'clearTimeout', 'performance'] as const;

/** For the rest of the test, time stands still: only `vi.advanceTimersByTime` moves `setTimeout` and `performance`. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: [...FAKED] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * For the rest of the test, `setTimeout` and `performance` advance by one millisecond at a time, and the event loop turns in between. So a
 * pause of the whole process passes in no time, as a busy machine causes it, and does not expire a timeout.
 */
export function slowClock(): void {
  vi.useFakeTimers({ toFake: [...FAKED], shouldAdvanceTime: true, advanceTimeDelta: 1 });
  onTestFinished(() => void vi.useRealTimers());
}
