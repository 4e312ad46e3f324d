import type { LonghaulClient } from '@longhaul/client';
import type { LonghaulEvent } from '@longhaul/protocol';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Inbox } from './inbox.ts';

let open: string[];
let reads: number;
const listeners = new Set<(event: LonghaulEvent) => void>();
const gaps = new Set<() => void>();
const add = <T>(set: Set<T>, listener: T) => {
  set.add(listener);
  return () => set.delete(listener);
};
const client = {
  approvals: {
    inbox: async () => {
      reads += 1;
      return { approvals: open.map((handle) => ({ sessionId: 'old', handle })) };
    },
  },
} as unknown as LonghaulClient;
const server = {
  events: {
    subscribe: (listener: (event: LonghaulEvent) => void) => add(listeners, listener),
    onGap: (listener: () => void) => add(gaps, listener),
  },
  connection: { onReturn: (listener: () => void) => add(gaps, listener) },
} as unknown as Parameters<Inbox['follow']>[0];

let inbox: Inbox;
let end: () => void;
const count = () => inbox.store.getState().approvals.length;
const emit = (type: LonghaulEvent['type']) => {
  for (const listener of listeners) listener({ type, sessionId: 'old', at: 0 } as LonghaulEvent);
};

beforeEach(async () => {
  vi.useFakeTimers();
  [open, reads] = [['m2.1'], 0];
  inbox = new Inbox(client);
  end = inbox.follow(server);
  await vi.advanceTimersByTimeAsync(1_000);
});
afterEach(() => {
  end();
  vi.useRealTimers();
});

it('counts the requests of all sessions, including those that no list has loaded', async () => {
  expect(count()).toBe(1);
  open = ['m2.1', 'm7.1'];
  emit('approval:requested');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count()).toBe(2);
  open = [];
  emit('approval:answered');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count()).toBe(0);
});

it('reads again when another process has changed something, and not at other times', async () => {
  open = ['m2.1', 'm3.1'];
  await vi.advanceTimersByTimeAsync(600_000);
  emit('llm:response');
  await vi.advanceTimersByTimeAsync(1_000);
  expect(reads).toBe(1);
  for (const gap of gaps) gap();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(count()).toBe(2);
});

it('reads few times for many requests at once', async () => {
  reads = 0;
  for (let round = 0; round < 50; round += 1) emit('approval:requested');
  await vi.advanceTimersByTimeAsync(2_000);
  expect(reads).toBe(2);
});
