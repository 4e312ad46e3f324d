import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Store } from '@longhaul/core';
import { openPostgresStore } from '@longhaul/storage/postgres';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { startPostgres } from '@longhaul/testing/machine';
import { fillWithLongSession } from '../long-session.ts';
import { median } from '../median.ts';
import { timeResume } from '../time-resume.ts';

const ROUNDS = 5;

export interface LongSessionSpeed {
  /** Milliseconds to read what a model sees of the session. */
  view: Record<'postgres' | 'sqlite', number>;
  /** Milliseconds from a message to the first request, in a new process. */
  resume: Record<'postgres' | 'sqlite', number>;
}

/** Compares PostgreSQL with SQLite, both with the same session of 20,000 messages. */
export async function timeLongSession(): Promise<LongSessionSpeed> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  await using database = await startPostgres({ settings: { shared_buffers: '256MB' } });
  try {
    const path = join(folder, 'long.db');
    await using postgres = await openPostgresStore({ url: database.url });
    await using sqlite = await openSqliteStore({ path });
    for (const store of [postgres, sqlite]) await fillWithLongSession(store);
    await database.query('ANALYZE');
    return {
      view: await compare((side) => timeView(side === 'postgres' ? postgres : sqlite)),
      resume: await compare(
        async (side) => (await timeResume(side === 'postgres' ? database.url : path, 'long')).ms,
      ),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The first round is not counted: it warms up code and caches. */
async function compare(
  time: (side: 'postgres' | 'sqlite') => Promise<number>,
): Promise<Record<'postgres' | 'sqlite', number>> {
  const times: Record<'postgres' | 'sqlite', number[]> = { postgres: [], sqlite: [] };
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const side of ['postgres', 'sqlite'] as const) {
      const ms = await time(side);
      if (round > 0) times[side].push(ms);
    }
  }
  return { postgres: Math.round(median(times.postgres)), sqlite: Math.round(median(times.sqlite)) };
}

async function timeView(store: Store): Promise<number> {
  const startedAt = performance.now();
  await store.loadView('long', { collapse: true });
  return performance.now() - startedAt;
}
