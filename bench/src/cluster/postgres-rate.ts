import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '@longhaul/storage/postgres';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { startPostgres } from '@longhaul/testing/machine';
import { median } from '../median.ts';
import { CALLS_OF_STEP, type Load, ROWS_OF_STEP, timeSteps } from '../store-rate-sides.ts';
import { timeRawPostgres } from './raw-postgres.ts';

const ROUNDS = 3;

export interface PostgresRate {
  /** Milliseconds of one stored call of a step, such as a tool's result. */
  postgresMs: number;
  sqliteMs: number;
  rowsPerSecond: number;
  rawRowsPerSecond: number;
}

/** Compares stored steps with SQLite, and with prepared inserts of the same number of rows in the same batches. */
export async function timePostgresRate(load: Load): Promise<PostgresRate> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-'));
  await using database = await startPostgres({ isDurable: true, settings: { shared_buffers: '256MB' } });
  try {
    const rounds: { postgres: number; sqlite: number; raw: number }[] = [];
    // The first round is not counted: it warms up code and disk.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const schema = `round${round}`;
      const postgres = await timeSteps(
        () => openPostgresStore({ url: `${database.url}?schema=${schema}` }),
        load,
      );
      const sqlite = await timeSteps(() => openSqliteStore({ path: join(folder, `${schema}.db`) }), load);
      const raw = await timeRawPostgres(database.url, { ...load, schema: `raw${round}` });
      if (round > 0) rounds.push({ postgres, sqlite, raw });
    }
    const rate = (side: 'postgres' | 'sqlite' | 'raw') => median(rounds.map((round) => round[side]));
    // Sessions work at the same time, so a call of one takes as long as one of all.
    const msOf = (rowsPerSecond: number) =>
      Number(((1_000 * load.sessions * ROWS_OF_STEP) / CALLS_OF_STEP / rowsPerSecond).toFixed(2));
    return {
      postgresMs: msOf(rate('postgres')),
      sqliteMs: msOf(rate('sqlite')),
      rowsPerSecond: Math.round(rate('postgres')),
      rawRowsPerSecond: Math.round(rate('raw')),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
