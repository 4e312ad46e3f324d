import { open, rename, rm } from 'node:fs/promises';
import { sql } from 'drizzle-orm';
import { makePrivateFile } from '../shared/private-folder.ts';
import { type Connection, connect } from './connection.ts';
import { APPLICATION_ID, databaseProblem } from './database-problem.ts';

export interface MigrateOptions {
  path: string;
  migrations: readonly string[];
  now: () => number;
}

/**
 * Migrates the database to the newest version. Several processes may call this at once: one migrates, the others wait
 * for its lock and find the database migrated. An existing database is first copied to `PATH.v1.TIME.backup`, with its
 * version and the time.
 *
 * @throws {LonghaulError} `store_newer`; `store_corrupt` for a database of another program. SQLite's errors are not
 * mapped.
 */
export async function migrate(connection: Connection, options: MigrateOptions): Promise<void> {
  const newest = options.migrations.length;
  const version = await inTransaction(connection, 'BEGIN', async () => checkedVersion(connection, options));
  if (version === newest) return;
  // In WAL mode this lock blocks writers but not readers, so the backup can read through its own connection.
  await inTransaction(connection, 'BEGIN IMMEDIATE', async () => {
    const old = checkedVersion(connection, options);
    if (old > 0 && old < newest) await backUp(old, options);
    for (const migration of options.migrations.slice(old)) connection.exec(migration);
    connection.exec(`PRAGMA user_version = ${newest}`);
    connection.exec(`PRAGMA application_id = ${APPLICATION_ID}`);
  });
}

/**
 * The version check also needs a transaction: it reads several values, and another process could migrate between the
 * reads.
 */
async function inTransaction<T>(
  connection: Connection,
  begin: 'BEGIN' | 'BEGIN IMMEDIATE',
  work: () => Promise<T>,
): Promise<T> {
  connection.exec(begin);
  try {
    const result = await work();
    connection.exec('COMMIT');
    return result;
  } finally {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  }
}

function checkedVersion(connection: Connection, { path, migrations }: MigrateOptions): number {
  const version = pragma(connection, 'user_version');
  const row = connection.db.get<{ tables: number }>(sql`SELECT count(*) AS tables FROM sqlite_master`);
  const hasTables = row !== undefined && row.tables > 0;
  const applicationId = pragma(connection, 'application_id');
  const problem = databaseProblem({ path, version, applicationId, hasTables }, migrations.length);
  if (problem !== undefined) throw problem;
  return version;
}

function pragma(connection: Connection, name: 'user_version' | 'application_id'): number {
  const row = connection.db.get<Record<string, number>>(sql.raw(`PRAGMA ${name}`));
  return row?.[name] ?? 0;
}

/**
 * Copies the database. The copy gets its name only when it is complete and synced, so an interrupted copy never looks
 * like a backup.
 */
async function backUp(version: number, { path, now }: MigrateOptions): Promise<void> {
  const time = new Date(now()).toISOString().replaceAll(/[:.]/g, '-');
  const backup = `${path}.v${version}.${time}.backup`;
  const partial = `${backup}.partial`;
  try {
    await makePrivateFile(partial);
    const reader = await connect(path);
    try {
      reader.db.run(sql`VACUUM INTO ${partial}`);
    } finally {
      reader.close();
    }
    await using file = await open(partial, 'r+');
    await file.sync();
    await rename(partial, backup);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
