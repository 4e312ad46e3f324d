import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunClock } from './run-clock.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('aborts at its limit', () => {
  using clock = new RunClock(1);
  vi.advanceTimersByTime(59_999);
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect(clock.signal.aborted).toBe(true);
});

it('stays stopped until the last stop is disposed, and then has the remaining time left', () => {
  using clock = new RunClock(1);
  vi.advanceTimersByTime(40_000);
  const stops = [clock.stop(), clock.stop()];
  vi.advanceTimersByTime(600_000);
  stops[0]?.[Symbol.dispose]();
  vi.advanceTimersByTime(600_000);
  expect(clock.elapsedMs).toBe(40_000);
  stops[1]?.[Symbol.dispose]();
  vi.advanceTimersByTime(19_999);
  expect(clock.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect([clock.signal.aborted, clock.elapsedMs]).toEqual([true, 60_000]);
});

it('does not abort at once when the limit exceeds the longest timer', () => {
  using clock = new RunClock(60_000);
  using unlimited = new RunClock(null);
  vi.advanceTimersByTime(1_000);
  expect([clock.signal.aborted, unlimited.signal.aborted]).toEqual([false, false]);
});
