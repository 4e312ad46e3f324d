import type { CacheHit, CacheLimits } from '@longhaul/models';
import { asc, eq, inArray, ne, sql } from 'drizzle-orm';
import { cacheBytes } from '../shared/cache-limits.ts';
import { lazy } from '../shared/lazy.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { unlessDamaged } from './readable-rows.ts';
import { cache } from './schema.ts';

/** Minimum age of the recorded last use before a new use is recorded, so that most reads do not write. */
const USED_AGAIN_MS = 60_000;
/** Share of the limits that an eviction frees at once. */
const ROOM_SHARE = 0.05;
/** Number of writes after which the remembered size is read again, because other processes write too. */
const WRITES_BETWEEN_SUMS = 256;
const ROWS_AT_ONCE = 500;

export interface FoundInCache extends CacheHit {
  /** Whether the use must be recorded. */
  isStale: boolean;
}

interface CacheSize {
  bytes: number;
  entries: number;
  /** Number of writes since the size was read. */
  writes: number;
}

/** Creates access to the cache's rows and limits its size. */
export function createCacheTable(
  db: Drizzle,
  { limits, now }: { limits: Required<CacheLimits>; now: () => number },
) {
  const find = lazy(() =>
    db
      .select({ value: cache.value, usedAt: cache.usedAt, checksum: cache.checksum })
      .from(cache)
      .where(eq(cache.key, sql.placeholder('key')))
      .prepare(),
  );
  let size: CacheSize | undefined;

  function sizeNow(): CacheSize {
    if (size === undefined || size.writes >= WRITES_BETWEEN_SUMS) {
      const sums = { bytes: sql<number>`coalesce(sum(${cache.bytes}), 0)`, entries: sql<number>`count(*)` };
      size = { ...(db.select(sums).from(cache).get() ?? { bytes: 0, entries: 0 }), writes: 0 };
    }
    return size;
  }

  /** Evicts the least recently used entries if a limit is exceeded. Never evicts `newest`. */
  function makeRoom(known: CacheSize, newest: string): void {
    if (known.bytes <= limits.maxBytes && known.entries <= limits.maxEntries) return;
    const maxBytes = limits.maxBytes * (1 - ROOM_SHARE);
    const maxEntries = limits.maxEntries * (1 - ROOM_SHARE);
    const isEnough = () => known.bytes <= maxBytes && known.entries <= maxEntries;
    for (let rows = oldest(newest); rows.length > 0 && !isEnough(); rows = oldest(newest)) {
      const gone: string[] = [];
      for (const row of rows) {
        if (isEnough()) break;
        gone.push(row.key);
        known.bytes -= row.bytes;
        known.entries -= 1;
      }
      db.delete(cache).where(inArray(cache.key, gone)).run();
    }
  }

  function oldest(except: string) {
    return db
      .select({ key: cache.key, bytes: cache.bytes })
      .from(cache)
      .where(ne(cache.key, except))
      .orderBy(asc(cache.usedAt), asc(cache.createdAt))
      .limit(ROWS_AT_ONCE)
      .all();
  }

  return {
    first(keys: readonly string[]): FoundInCache | undefined {
      for (const key of keys) {
        const row = unlessDamaged(() => find().get({ key }));
        // A damaged entry is computed again.
        if (row !== undefined && isSoundRow('cache', { key, ...row }))
          return { key, value: row.value, isStale: now() - row.usedAt >= USED_AGAIN_MS };
      }
      return undefined;
    },

    markUsed(key: string): void {
      db.update(cache).set({ usedAt: now() }).where(eq(cache.key, key)).run();
    },

    put(key: string, value: string): void {
      const bytes = cacheBytes(key, value);
      if (bytes > limits.maxBytes) {
        this.remove(key);
        return;
      }
      const known = sizeNow();
      const checksum = rowChecksum('cache', { key, value });
      const row = { value, bytes, createdAt: now(), usedAt: now(), checksum };
      db.insert(cache)
        .values({ key, ...row })
        .onConflictDoUpdate({ target: cache.key, set: row })
        .run();
      // A replaced row counts twice until the size is read again, so eviction may start slightly early.
      known.bytes += bytes;
      known.entries += 1;
      known.writes += 1;
      makeRoom(known, key);
    },

    remove(key: string): void {
      db.delete(cache).where(eq(cache.key, key)).run();
      size = undefined;
    },

    /** Discards the remembered size, which may be outdated. */
    forget(): void {
      size = undefined;
    },
  };
}

export type CacheTable = ReturnType<typeof createCacheTable>;
