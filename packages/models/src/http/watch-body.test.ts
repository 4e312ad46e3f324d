import { EventEmitter } from 'node:events';
import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchBody } from './watch-body.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A request whose received bytes and reading the test controls. */
function watched() {
  const incoming = Object.assign(new EventEmitter(), {
    socket: { bytesRead: 0 },
    paused: false,
    isPaused: () => incoming.paused,
  });
  const stalls: LonghaulError[] = [];
  watchBody(incoming as unknown as IncomingMessage, {
    stallMs: 15_000,
    onStall: (error) => stalls.push(error),
  });
  return { incoming, stalls };
}

test('reports a body once, when no byte has arrived for the limit', () => {
  const { incoming, stalls } = watched();
  vi.advanceTimersByTime(14_999);
  expect(stalls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(stalls).toMatchObject([{ code: 'request_timeout' }]);
  vi.advanceTimersByTime(60_000);
  expect([stalls.length, vi.getTimerCount(), incoming.listenerCount('close')]).toEqual([1, 0, 0]);
});

test('allows a body that takes long but never pauses', () => {
  const { incoming, stalls } = watched();
  for (let second = 0; second < 600; second += 10) {
    incoming.socket.bytesRead += 1;
    vi.advanceTimersByTime(10_000);
  }
  expect(stalls).toEqual([]);
});

test('does not count the time in which the server does not read', () => {
  const { incoming, stalls } = watched();
  incoming.paused = true;
  vi.advanceTimersByTime(600_000);
  incoming.paused = false;
  vi.advanceTimersByTime(14_999);
  expect(stalls).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(stalls).toHaveLength(1);
});

test.each(['end', 'close'])('ends at the event %s', (event) => {
  const { incoming, stalls } = watched();
  incoming.emit(event);
  vi.advanceTimersByTime(60_000);
  expect([stalls.length, vi.getTimerCount()]).toEqual([0, 0]);
});
