import { expect, test } from 'vitest';
import { SlotPool } from './slot-pool.ts';

function poolOf(poolTokens: number) {
  const pool = new SlotPool();
  const entered: string[] = [];
  const waited: string[] = [];
  const enter = (name: string, tokens: number, signal = new AbortController().signal) =>
    pool.enter({ tokens, poolTokens, signal, onWait: () => waited.push(name) }).then((free) => {
      entered.push(name);
      return free;
    });
  return { pool, entered, waited, enter };
}

test('admits requests in their order, as soon as their sum fits', async () => {
  const { pool, entered, waited, enter } = poolOf(100);
  const freeA = await enter('a', 60);
  const freeB = await enter('b', 40);
  const c = enter('c', 50);
  // It would fit after `a`, but `c` came first.
  const d = enter('d', 10);
  expect([entered, waited]).toEqual([
    ['a', 'b'],
    ['c', 'd'],
  ]);
  freeB();
  freeB();
  freeA();
  for (const free of await Promise.all([c, d])) free();
  expect(entered).toEqual(['a', 'b', 'c', 'd']);
  expect(pool.isIdle).toBe(true);
});

test('admits a request that is larger than the pool when it is alone', async () => {
  const { entered, enter } = poolOf(100);
  const free = await enter('a', 10);
  const large = enter('large', 500);
  const next = enter('next', 1);
  expect(entered).toEqual(['a']);
  free();
  (await large)();
  (await next)();
  expect(entered).toEqual(['a', 'large', 'next']);
});

test('lets the others pass if a waiting client leaves', async () => {
  const { pool, entered, enter } = poolOf(100);
  const free = await enter('a', 60);
  const leaving = new AbortController();
  const left = enter('b', 50, leaving.signal);
  const next = enter('c', 40);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  (await next)();
  expect(entered).toEqual(['a', 'c']);
  free();
  expect(pool.isIdle).toBe(true);
});

test('refuses a request if too many wait', async () => {
  const { enter } = poolOf(1);
  const free = await enter('a', 1);
  const waiting = Array.from({ length: 100 }, (_, index) => enter(`w${index}`, 1));
  await expect(enter('last', 1)).rejects.toMatchObject({ code: 'queue_full' });
  free();
  for (const next of waiting) (await next)();
});
