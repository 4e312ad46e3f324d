import type { ModelDriver } from '@longhaul/core';
import { playedDriver } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { DriverCache } from './driver-cache.ts';

/** A cache whose drivers open when the test says so. */
function cacheOf() {
  const opening: (PromiseWithResolvers<ModelDriver> & { signal: AbortSignal })[] = [];
  const cache = new DriverCache((_name, signal) => {
    const driver = Promise.withResolvers<ModelDriver>();
    signal.addEventListener('abort', () => driver.reject(signal.reason));
    opening.push({ ...driver, signal });
    return driver.promise;
  });
  return { cache, opening };
}

it('ends the opening of a driver when the last one who waits has left', async () => {
  const { cache, opening } = cacheOf();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = cache.driverFor('a', one.signal);
  const second = cache.driverFor('a', two.signal);
  one.abort();
  await expect(first).rejects.toMatchObject({ code: 'cancelled' });
  expect(opening.map(({ signal }) => signal.aborted)).toEqual([false]);
  two.abort();
  await expect(second).rejects.toMatchObject({ code: 'cancelled' });
  expect(opening.map(({ signal }) => signal.aborted)).toEqual([true]);

  const again = cache.driverFor('a', AbortSignal.abort());
  await expect(again).rejects.toMatchObject({ code: 'cancelled' });
  const third = cache.driverFor('a');
  opening.at(-1)?.resolve(playedDriver([]));
  expect(await third).toBe(await cache.driverFor('a', AbortSignal.abort()));
});

it('opens a driver for one who cannot leave, and opens one that failed again', async () => {
  const { cache, opening } = cacheOf();
  const needed = cache.driverFor('a');
  const leaving = new AbortController();
  const left = cache.driverFor('a', leaving.signal);
  leaving.abort();
  await expect(left).rejects.toMatchObject({ code: 'cancelled' });
  opening[0]?.reject(new Error('no server'));
  await expect(needed).rejects.toThrow('no server');
  const again = cache.driverFor('a');
  opening[1]?.resolve(playedDriver([]));
  await again;
  expect(opening).toHaveLength(2);
});
