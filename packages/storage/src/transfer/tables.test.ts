import assert from 'node:assert/strict';
import { getColumns, getTableName, is } from 'drizzle-orm';
import { PgTable } from 'drizzle-orm/pg-core';
import { SQLiteTable } from 'drizzle-orm/sqlite-core';
import { it } from 'vitest';
import * as postgres from '../postgres/schema.ts';
import * as sqlite from '../sqlite/schema.ts';
import { SESSION_TABLES, SHARED_TABLES } from './tables.ts';

/** What is not copied: requests to a run that has ended, a cache, an index, and blobs, which are copied apart. */
const LEFT = new Set(['cancels', 'cache', 'part_search', 'blobs', 'dying_blobs']);
/** Columns that only one store has, or that are made again. */
const MADE = new Set([
  'key',
  'part_key',
  'number of part_chunks',
  'message_id of part_chunks',
  'checksum of part_chunks',
  'search',
  'appends',
  'address',
  'run_id of heads',
  'expires_at',
  'expires_uptime',
]);

it.each([
  ['SQLite', Object.values(sqlite).filter((table) => is(table, SQLiteTable))],
  ['PostgreSQL', Object.values(postgres).filter((table) => is(table, PgTable))],
])('copies every table and column of %s', (_name, tables) => {
  for (const table of tables) {
    const name = getTableName(table);
    if (LEFT.has(name)) continue;
    const copied = [...SESSION_TABLES, ...SHARED_TABLES].find((each) => each.name === name);
    assert.ok(copied !== undefined, name);
    for (const column of Object.values(getColumns(table)).map((each) => each.name))
      assert.ok(
        column in copied.columns || MADE.has(column) || MADE.has(`${column} of ${name}`),
        `${name}.${column}`,
      );
  }
});
