import { expect, it, vi } from 'vitest';
import { ForeignNotice } from './foreign-notice.ts';

it('passes on the first change at once, and merges many changes', () => {
  vi.useFakeTimers();
  let sent = 0;
  using notice = new ForeignNotice(() => (sent += 1));
  notice.changed();
  expect(sent).toBe(1);
  for (let round = 0; round < 100; round += 1) {
    notice.changed();
    vi.advanceTimersByTime(100);
  }
  expect(sent).toBeLessThanOrEqual(6);
  const before = sent;
  notice.changed();
  vi.advanceTimersByTime(60_000);
  // The last change is never lost, and nothing follows it.
  expect(sent).toBe(before + 1);
  expect(vi.getTimerCount()).toBe(0);
  vi.useRealTimers();
});
