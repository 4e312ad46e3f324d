import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Silence } from './silence.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('aborts after the time, which begins again at each message', () => {
  using silence = new Silence(1_000);
  vi.advanceTimersByTime(900);
  silence.heard();
  vi.advanceTimersByTime(900);
  expect(silence.signal.aborted).toBe(false);
  vi.advanceTimersByTime(100);
  expect(silence.signal.aborted).toBe(true);
});

it('does not count the time in which a person is asked, also if two are', () => {
  using silence = new Silence(1_000);
  const first = silence.hold();
  const second = silence.hold();
  vi.advanceTimersByTime(5_000);
  first[Symbol.dispose]();
  silence.heard();
  vi.advanceTimersByTime(5_000);
  expect(silence.signal.aborted).toBe(false);
  second[Symbol.dispose]();
  vi.advanceTimersByTime(1_000);
  expect(silence.signal.aborted).toBe(true);
});

it('has no timer once the call has ended', () => {
  const silence = new Silence(1_000);
  const held = silence.hold();
  silence[Symbol.dispose]();
  held[Symbol.dispose]();
  expect(vi.getTimerCount()).toBe(0);
});
