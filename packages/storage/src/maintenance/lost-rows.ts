import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { damagedRows, type FoundDamage } from '../shared/damaged-rows.ts';
import { loadRowCheck } from '../shared/row-shapes.ts';
import { hasColumn } from './open-file.ts';

/** Returns the damaged rows of a database. One of an older version has no checksums, so there are none. */
export async function lostRows(database: DatabaseSync): Promise<FoundDamage[]> {
  if (!hasColumn(database, 'parts', 'checksum')) return [];
  const check = await loadRowCheck();
  return [...damagedRows((sql, ...values) => bigRows(database, sql, values), { check })];
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
