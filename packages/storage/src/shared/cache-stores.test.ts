import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CacheLimits, CacheStore } from '@longhaul/models';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryCache } from '../memory/index.ts';
import { openSqliteCache, openSqliteStore } from '../sqlite/index.ts';

let folder = '';
let files = 0;
let time = 1_000_000;
const now = () => time;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-cache-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const CACHES: Record<string, (limits?: CacheLimits) => Promise<CacheStore>> = {
  memory: async (limits) => createMemoryCache(limits),
  sqlite: (limits) => {
    files += 1;
    return openSqliteCache({ path: join(folder, `${files}.db`), now, ...limits });
  },
};

describe.each(Object.entries(CACHES))('a cache in %s', (_, open) => {
  it('returns the first existing key, replaces values and deletes them', async () => {
    const cache = await open();
    await cache.set('a', 'one');
    await cache.set('b', 'zwei, äöü\u0000');
    expect(await cache.getFirst(['x', 'b', 'a'])).toEqual({ key: 'b', value: 'zwei, äöü\u0000' });
    expect(await cache.getFirst([])).toBeUndefined();
    await cache.set('a', 'two');
    expect(await cache.get('a')).toBe('two');
    await cache.delete('a');
    expect(await cache.get('a')).toBeUndefined();
    expect(await cache.getFirst(['a', 'x'])).toBeUndefined();
  });

  it('evicts the least recently used entry when it has too many entries', async () => {
    const cache = await open({ maxEntries: 20 });
    for (let index = 0; index < 20; index += 1) {
      time += 1;
      await cache.set(`k${index}`, 'v');
    }
    time += 120_000;
    await cache.get('k0');
    time += 1;
    await cache.set('new', 'v');
    expect(await cache.get('k0')).toBe('v');
    expect(await cache.get('new')).toBe('v');
    expect(await cache.get('k1')).toBeUndefined();
    expect(await cache.get('k19')).toBe('v');
  });

  it('evicts by size, keeps the newest entry, and rejects an entry larger than the cache', async () => {
    const cache = await open({ maxBytes: 10_000 });
    const text = 'x'.repeat(3_000);
    for (const key of ['a', 'b', 'c', 'd']) {
      time += 1;
      await cache.set(key, text);
    }
    expect(await cache.get('d')).toBe(text);
    expect(await cache.get('a')).toBeUndefined();
    await cache.set('d', 'y'.repeat(20_000));
    expect(await cache.get('d')).toBeUndefined();
    await cache.set('e', 'y'.repeat(9_900));
    expect(await cache.get('e')).toHaveLength(9_900);
    expect(await cache.getFirst(['b', 'c'])).toBeUndefined();
  });
});

it('shares one file between two connections and a store, and survives restarts', async () => {
  const path = join(folder, 'shared.db');
  await using store = await openSqliteStore({ path });
  {
    await using left = await openSqliteCache({ path });
    await using right = await openSqliteCache({ path, maxEntries: 3 });
    await Promise.all([left.set('a', '1'), right.set('b', '2')]);
    expect(await right.get('a')).toBe('1');
    await left.set('c', '3');
    await left.set('d', '4');
    // Rows written by the other connection count too.
    await right.set('e', '5');
  }
  await store.putSetting('still', 'works');
  await using again = await openSqliteCache({ path });
  expect(await again.get('e')).toBe('5');
  const kept = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => again.get(key)));
  expect(kept.filter((value) => value !== undefined).length).toBeLessThanOrEqual(3);
  await again[Symbol.asyncDispose]();
  await expect(again.get('a')).rejects.toMatchObject({ code: 'internal' });
});
