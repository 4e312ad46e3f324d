import type { Priority } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { type RunPlace, RunPlaces } from './run-places.ts';

/** Waits for places, and notes the order in which sessions begin. */
function bench(max: number | null) {
  const places = new RunPlaces(max);
  const begun: string[] = [];
  const held = new Map<string, RunPlace>();
  const want = async (name: string, signal = new AbortController().signal, priority?: Priority) => {
    const place = await places.wait({ owner: name.slice(0, 1), sessionId: name, priority }, signal);
    if (place === undefined) return;
    begun.push(name);
    held.set(name, place);
  };
  const end = async (name: string) => {
    held.get(name)?.[Symbol.dispose]();
    await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { places, begun, held, want, end };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

it('lets as many runs begin as there are places, and the next when one ends', async () => {
  const { places, begun, want, end } = bench(2);
  for (const name of ['a1', 'a2', 'a3', 'a4']) void want(name);
  await settled();
  expect(begun).toEqual(['a1', 'a2']);
  expect(places.order()).toEqual(['a3', 'a4']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'a3']);
  expect(places.order()).toEqual(['a4']);
  await end('a1');
  expect(begun).toHaveLength(3);
});

it('is fair by owner, however many sessions one has', async () => {
  const { places, begun, want, end } = bench(2);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'b2', 'c1']) void want(name);
  await settled();
  expect(places.order()).toEqual(['b1', 'c1', 'b2', 'a3', 'a4', 'a5']);
  await end('a1');
  await end('a2');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'c1']);
});

it('takes a higher priority first, and owners in turns within one', async () => {
  const { places, begun, want, end } = bench(1);
  const { signal } = new AbortController();
  void want('x1');
  for (const name of ['a1', 'a2']) void want(name, signal, 'low');
  for (const name of ['a3', 'a4', 'b1']) void want(name, signal, 'normal');
  void want('c1', signal, 'high');
  await settled();
  expect(places.order()).toEqual(['c1', 'a3', 'b1', 'a4', 'a1', 'a2']);
  places.prioritise('a2', 'high');
  expect(places.order()).toEqual(['a2', 'c1', 'b1', 'a3', 'a4', 'a1']);
  await end('x1');
  expect(begun).toEqual(['x1', 'a2']);
});

it('begins all without a limit', async () => {
  const { begun, want } = bench(null);
  for (let count = 0; count < 100; count += 1) void want(`a${count}`);
  await settled();
  expect(begun).toHaveLength(100);
});

it('gives a turn up when the signal aborts', async () => {
  const { places, begun, want, end } = bench(1);
  void want('a1');
  const left = new AbortController();
  void want('b1', left.signal);
  void want('c1');
  await settled();
  left.abort();
  expect(places.order()).toEqual(['c1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'c1']);
});

it('gives the place of a paused run to another, and takes it back even if none is free', async () => {
  const { places, begun, held, want, end } = bench(1);
  for (const name of ['a1', 'b1', 'c1']) void want(name);
  await settled();
  held.get('a1')?.pause();
  await settled();
  expect(begun).toEqual(['a1', 'b1']);
  held.get('a1')?.resume();
  await end('b1');
  expect([begun, places.order()]).toEqual([['a1', 'b1'], ['c1']]);
  held.get('a1')?.pause();
  await end('a1');
  await settled();
  expect(begun).toEqual(['a1', 'b1', 'c1']);
  await end('a1');
  expect(places.tryTake('d')).toBeUndefined();
});
