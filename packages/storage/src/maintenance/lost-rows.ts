import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { damagedRows, type FoundDamage } from '../shared/damaged-rows.ts';
import { hasColumn } from './open-file.ts';

/** Returns the damaged rows of a database. One of an older version has no checksums, so there are none. */
export function lostRows(database: DatabaseSync): FoundDamage[] {
  if (!hasColumn(database, 'parts', 'checksum')) return [];
  return [...damagedRows((sql, ...values) => bigRows(database, sql, values))];
}

/** Damage can make integers too large for a number. */
function bigRows(
  database: DatabaseSync,
  sql: string,
  values: SQLInputValue[],
): Iterable<Record<string, unknown>> {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement.iterate(...values);
}

/** Names the damaged row for a person: its session, its message or part, and the reason. */
export function lostText({ table, id, sessionId, handle, reason }: FoundDamage): string {
  const what = handle ?? `${table} ${id}`;
  return `${sessionId === undefined ? '' : `session ${sessionId}, `}${what}: ${reason}`;
}
