import { onTestFinished, vi } from 'vitest';

/** The clock functions of the code under test. The date, intervals and immediates stay real. */
const FAKED = ['setTimeout', 'clearTimeout', 'performance'] as const;

/** Stops the clock for the rest of the test: only `vi.advanceTimersByTime` moves `setTimeout` and `performance`. */
export function stopClock(): void {
  vi.useFakeTimers({ toFake: [...FAKED] });
  onTestFinished(() => void vi.useRealTimers());
}

/**
 * Slows the clock for the rest of the test: `setTimeout` and `performance` advance by one millisecond at a time, and
 * the event loop turns in between. A pause of the whole process, as on a busy machine, then takes no time and does not
 * expire a timeout.
 */
export function slowClock(): void {
  vi.useFakeTimers({ toFake: [...FAKED], shouldAdvanceTime: true, advanceTimeDelta: 1 });
  onTestFinished(() => void vi.useRealTimers());
}

/** Sets the date for the rest of the test, and stops it there. All other clock functions stay real. */
export function setDate(date: string): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(date) });
  onTestFinished(() => void vi.useRealTimers());
}
