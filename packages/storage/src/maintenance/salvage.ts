import { constants, copyFile, open, rm } from 'node:fs/promises';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import type { FoundDamage } from '../shared/damaged-rows.ts';
import { makePrivateFile } from '../shared/private-folder.ts';
import { MIGRATIONS } from '../sqlite/migrations.ts';
import { quoted, type Row, readableKeyedRows, readableRows, type TableShape } from './damaged-rows.ts';
import { beginDatabase, claimItsSize, graftSchema } from './graft-schema.ts';
import { mendContents, sealRows } from './mend-contents.ts';
import { dropOrphans, mendRows } from './mend-rows.ts';
import { numberOf } from './open-file.ts';
import { sizeOf } from './place.ts';

export interface Salvaged {
  tables: SavedTable[];
  /** The lost and changed contents, as far as their places are known. */
  lost: FoundDamage[];
}

export interface SavedTable {
  table: string;
  saved: number;
  /** Absent if the damage hides how many rows there were. */
  lost?: number;
}

/**
 * Copies every readable row into a new database of the same version and makes that database consistent. The damaged
 * file and its log are only read. Returns the number of saved and lost rows by table, and names the lost contents.
 */
export async function salvage(path: string, target: string): Promise<Salvaged> {
  const copy = `${target}.partial`;
  try {
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    if ((await sizeOf(`${path}-wal`)) > 0)
      await copyFile(`${path}-wal`, `${copy}-wal`, constants.COPYFILE_FICLONE);
    await claimItsSize(copy);
    const salvaged = await copyInto(copy, target);
    if (salvaged.tables.some(({ saved }) => saved > 0)) return salvaged;
    await graftSchema(copy);
    return await copyInto(copy, target);
  } finally {
    for (const suffix of ['', '-wal', '-shm']) await rm(copy + suffix, { force: true });
  }
}

async function copyInto(copy: string, path: string): Promise<Salvaged> {
  await rm(path, { force: true });
  await makePrivateFile(path);
  using source = openDamaged(copy);
  const version = attempt(() => numberOf(source, 'PRAGMA user_version')) ?? 0;
  const target = new DatabaseSync(path);
  try {
    beginDatabase(target, version > 0 && version <= MIGRATIONS.length ? version : MIGRATIONS.length);
    const shapes = tablesOf(target);
    const tables = shapes.map((shape) => copyTable(source, target, shape));
    const changed = await mendContents(target);
    const missing = mendRows(target);
    const orphans = dropOrphans(
      target,
      shapes.map(({ name }) => name),
    );
    sealRows(target);
    target.exec('COMMIT');
    const counted = tables.map(({ table, saved, lost }) => {
      const dropped = orphans.get(table) ?? 0;
      return {
        table,
        saved: Math.max(0, saved - dropped),
        lost: lost === undefined ? undefined : lost + dropped,
      };
    });
    return { tables: counted, lost: [...changed, ...missing] };
  } finally {
    target.close();
    await using file = await open(path, 'r+');
    await file.sync();
  }
}

function openDamaged(path: string): DatabaseSync {
  // Damage can make integers too large for a number.
  const database = new DatabaseSync(path, { readBigInts: true });
  // Without these pragmas, one bad entry in the list of tables hides all tables.
  attempt(() => database.exec('PRAGMA writable_schema = ON; PRAGMA cell_size_check = ON'));
  return database;
}

/** Tables with values computed from rows that may be lost. The values are computed again when needed. */
const DERIVED = new Set(['checkpoints']);

/**
 * Returns the tables to copy, without the search index, which is rebuilt. `sessions` is first: other tables are read by
 * session id.
 */
function tablesOf(database: DatabaseSync): TableShape[] {
  const tables = database
    .prepare(
      "SELECT name, wr FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
    )
    .all();
  const kept = tables.filter(({ name }) => !DERIVED.has(String(name)));
  const shapes = kept.map(({ name, wr }) => {
    const columns = database.prepare('SELECT name, pk FROM pragma_table_info(?)').all(String(name));
    const key = columns
      .filter(({ pk }) => Number(pk) > 0)
      .toSorted((left, right) => Number(left['pk']) - Number(right['pk']));
    return {
      name: String(name),
      columns: columns.map((column) => String(column['name'])),
      key: Number(wr) === 1 ? key.map((column) => String(column['name'])) : [],
    };
  });
  const rank = ({ name }: TableShape) => (name === 'sessions' ? 0 : 1);
  return shapes.toSorted((left, right) => rank(left) - rank(right));
}

function copyTable(source: DatabaseSync, target: DatabaseSync, shape: TableShape): SavedTable {
  const { name, columns } = shape;
  const insert = target.prepare(
    `INSERT OR IGNORE INTO "${name}" (${quoted(columns)}) VALUES (${columns.map(() => '?').join(', ')})`,
  );
  let saved = 0;
  attempt(() => {
    for (const row of rowsOf(source, target, shape))
      saved += Number(insert.run(...valuesOf(row, columns)).changes);
  });
  // An intact index may still give the original number of rows.
  const before = attempt(() => numberOf(source, `SELECT count(*) FROM "${name}"`));
  return { table: name, saved, lost: before === undefined ? undefined : Math.max(0, before - saved) };
}

function rowsOf(source: DatabaseSync, target: DatabaseSync, shape: TableShape): Iterable<Row> {
  if (shape.key.length === 0) return readableRows(source, shape);
  return readableKeyedRows(source, shape, shape.key[0] === 'session_id' ? sessionIds(target) : []);
}

function sessionIds(database: DatabaseSync): SQLOutputValue[] {
  return database
    .prepare('SELECT id FROM sessions')
    .all()
    .map((row) => row['id'] ?? null);
}

function valuesOf(row: Row, columns: readonly string[]): SQLInputValue[] {
  return columns.map((column) => row[column] ?? null);
}

/** Returns undefined if SQLite throws because of damage, so that the caller can continue. */
function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && typeof Reflect.get(error, 'errcode') === 'number') return undefined;
    throw error;
  }
}
