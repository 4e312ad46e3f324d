import { open, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { makePrivateFile } from '../shared/private-folder.ts';
import { APPLICATION_ID } from '../sqlite/database-problem.ts';
import { MIGRATIONS } from '../sqlite/migrations.ts';
import { sizeOf } from './place.ts';

const PAGE_SIZE = 4096;
const INCREMENTAL = 2;

/**
 * Writes the actual page count into the file header, so that SQLite reads a truncated file. Source:
 * https://sqlite.org/fileformat.html#the_database_header
 */
export async function claimItsSize(path: string): Promise<void> {
  await using file = await open(path, 'r+');
  const head = Buffer.alloc(100);
  if ((await file.read(head, 0, head.length, 0)).bytesRead < head.length) return;
  head.writeUInt32BE(Math.floor((await sizeOf(path)) / PAGE_SIZE), 28);
  // SQLite uses the page count in the header only if these two counters are equal.
  head.copy(head, 92, 24, 28);
  await file.write(head, 0, head.length, 0);
}

/**
 * Overwrites the pages that list the tables, including the file header, with those of a new database. Migrations create
 * the tables in a fixed order, so the root pages of the tables have the same numbers in both. Use this only on a copy
 * from which nothing else can be read.
 */
export async function graftSchema(path: string): Promise<void> {
  const fresh = `${path}.fresh.partial`;
  try {
    await makePrivateFile(fresh);
    const pages = makeFresh(fresh);
    await using from = await open(fresh, 'r');
    await using to = await open(path, 'r+');
    const page = Buffer.alloc(PAGE_SIZE);
    for (const number of pages) {
      await from.read(page, 0, PAGE_SIZE, (number - 1) * PAGE_SIZE);
      await to.write(page, 0, PAGE_SIZE, (number - 1) * PAGE_SIZE);
    }
  } finally {
    await rm(fresh, { force: true });
  }
  await claimItsSize(path);
}

/** Creates the tables as the store does. Leaves the transaction open; the caller commits it. */
export function beginDatabase(database: DatabaseSync, version: number): void {
  database.exec(
    `PRAGMA auto_vacuum = ${INCREMENTAL}; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; BEGIN`,
  );
  for (const migration of MIGRATIONS.slice(0, version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${version}; PRAGMA application_id = ${APPLICATION_ID}`);
}

/** Creates a new database and returns the numbers of the pages that list its tables. */
function makeFresh(path: string): number[] {
  const database = new DatabaseSync(path);
  try {
    beginDatabase(database, MIGRATIONS.length);
    database.exec('COMMIT');
    const pages = database.prepare("SELECT pageno FROM dbstat WHERE name = 'sqlite_schema'").all();
    return pages.map((row) => Number(row['pageno']));
  } finally {
    database.close();
  }
}
