import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as breathe } from 'node:timers/promises';
import { mapSqliteError } from '../sqlite/sqlite-errors.ts';
import { numberOf } from './open-file.ts';

const INCREMENTAL = 2;
/** Pages released per transaction. A running session waits for it about as long as for one of its own transactions. */
const STEP_PAGES = 500;
/** A full vacuum rewrites the whole database, so it must free at least this share and this many bytes. */
const WORTH_SHARE = 0.1;
const WORTH_BYTES = 1_000_000;

/** Why free pages were not released to the disk. */
export type NotGivenBack =
  | { why: 'disk'; needed: number; free: number; folder: string }
  | { why: 'running' }
  | { why: 'busy' };

/**
 * Releases free pages to the disk and truncates the write-ahead log. In a database with incremental vacuum, pages are
 * released in steps while sessions run. A database made by an older version is vacuumed as a whole, once. This needs
 * space for a second copy and no running session.
 */
export async function giveBack(
  database: DatabaseSync,
  { path, hasLiveSession }: { path: string; hasLiveSession: boolean },
): Promise<NotGivenBack | undefined> {
  try {
    if (numberOf(database, 'PRAGMA auto_vacuum') === INCREMENTAL) await releasePages(database);
    else {
      const refusal = vacuumWhole(database, { path, hasLiveSession });
      if (refusal !== undefined) return refusal;
    }
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    return undefined;
  } catch (thrown) {
    const error = mapSqliteError(thrown, path);
    if (error.code === 'store_unavailable') return { why: 'busy' };
    throw error;
  }
}

async function releasePages(database: DatabaseSync): Promise<void> {
  for (let before = Number.POSITIVE_INFINITY; ; ) {
    const free = numberOf(database, 'PRAGMA freelist_count');
    if (free === 0 || free >= before) return;
    before = free;
    database.exec(`PRAGMA incremental_vacuum(${STEP_PAGES})`);
    await breathe();
  }
}

function vacuumWhole(
  database: DatabaseSync,
  { path, hasLiveSession }: { path: string; hasLiveSession: boolean },
): NotGivenBack | undefined {
  const page = numberOf(database, 'PRAGMA page_size');
  const pages = numberOf(database, 'PRAGMA page_count');
  const free = numberOf(database, 'PRAGMA freelist_count');
  if (free * page < WORTH_BYTES || free < pages * WORTH_SHARE) return undefined;
  if (hasLiveSession) return { why: 'running' };
  const needed = (pages - free) * page;
  for (const folder of [tmpdir(), dirname(path)]) {
    const { bavail, bsize } = statfsSync(folder);
    if (bavail * bsize < needed * 1.1) return { why: 'disk', needed, free: bavail * bsize, folder };
  }
  database.exec(`PRAGMA auto_vacuum = ${INCREMENTAL}; VACUUM`);
  return undefined;
}

/** Removes entries of deleted parts from the search index, in small steps. */
export async function tidySearch(database: DatabaseSync): Promise<void> {
  const changes = () => numberOf(database, 'SELECT total_changes()');
  for (let round = 0; round < 10_000; round++) {
    const before = changes();
    // A negative rank merges all segments of all levels, like `optimize`, but in steps. Source:
    // https://sqlite.org/fts5.html#the_merge_command
    database.exec(
      `INSERT INTO part_search (part_search, rank) VALUES ('merge', ${round === 0 ? -STEP_PAGES : STEP_PAGES})`,
    );
    // The command's own row counts as one change.
    if (changes() - before < 2) return;
    await breathe();
  }
}
