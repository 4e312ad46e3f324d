import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { ChatLocks } from './chat-locks.ts';

const never = new AbortController().signal;

it('grants turns in the order of the requests, and skips aborted ones', async () => {
  const locks = new ChatLocks();
  const order: string[] = [];
  const first = await locks.take('a', never);
  const leaving = new AbortController();
  const second = locks.take('a', leaving.signal);
  const third = locks.take('a', never).then((turn) => {
    order.push('third');
    return turn;
  });
  await using _other = {
    [Symbol.asyncDispose]: async () => (await locks.take('b', never))[Symbol.dispose](),
  };
  leaving.abort();
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  await setImmediate();
  expect(order).toEqual([]);
  first[Symbol.dispose]();
  (await third)[Symbol.dispose]();
  expect([order, locks.isHeld('a')]).toEqual([['third'], false]);
});

it('refuses more than 8 waiting requests', async () => {
  const locks = new ChatLocks();
  const first = await locks.take('a', never);
  const waiting = Array.from({ length: 8 }, () => locks.take('a', never));
  await expect(locks.take('a', never)).rejects.toMatchObject({ code: 'rate_limited' });
  first[Symbol.dispose]();
  for (const turn of waiting) (await turn)[Symbol.dispose]();
  expect(locks.isHeld('a')).toBe(false);
});
