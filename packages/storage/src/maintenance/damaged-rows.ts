import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type Row = Record<string, SQLOutputValue>;

/** A table of the new database. The damaged database has the same columns. */
export interface TableShape {
  name: string;
  columns: string[];
  /** Key columns of a table without row ids; empty for other tables. */
  key: string[];
}

const LAST_ROW = 2 ** 52;

/**
 * Yields every readable row of a table with row ids. After a damaged page it continues with the next row that can be
 * reached: the B-tree leads past a damaged leaf.
 */
export function* readableRows(database: DatabaseSync, { name, columns }: TableShape): Generator<Row> {
  const sql = `SELECT rowid AS "-row-", ${quoted(columns)} FROM "${name}" NOT INDEXED WHERE rowid >= ? ORDER BY rowid`;
  // A new statement for each call: a statement that failed on damage would report the same error when reused.
  const from = (row: number) => database.prepare(sql).iterate(row);
  const reaches = (row: number) => {
    try {
      for (const found of from(row)) return Number(found['-row-']);
      return LAST_ROW;
    } catch {
      return undefined; // On a damaged page.
    }
  };
  let next = 0;
  while (next < LAST_ROW) {
    try {
      for (const { '-row-': row, ...values } of from(next)) {
        yield values;
        next = Number(row) + 1;
      }
      return;
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    next = nextReachable(next, reaches);
  }
}

/** Finds the first readable row after `start`: doubles the step until a row is reached, then bisects. */
function nextReachable(start: number, reaches: (row: number) => number | undefined): number {
  let step = 1;
  while (reaches(start + step) === undefined) {
    step *= 2;
    if (start + step >= LAST_ROW) return LAST_ROW;
  }
  let bad = start + Math.floor(step / 2);
  let good = start + step;
  while (good - bad > 1) {
    const middle = Math.floor((bad + good) / 2);
    if (reaches(middle) === undefined) bad = middle;
    else good = middle;
  }
  return reaches(good) ?? LAST_ROW;
}

/**
 * Yields every readable row of a table without row ids: forward from the start to the damage, then backward from the
 * end to it. A row may be yielded twice. Each value in `groups`, a value of the first key column, is then read in the
 * same way on its own.
 */
export function* readableKeyedRows(
  database: DatabaseSync,
  { name, columns, key }: TableShape,
  groups: readonly SQLOutputValue[],
): Generator<Row> {
  const read = function* (direction: 'ASC' | 'DESC', group?: SQLOutputValue): Generator<Row, boolean> {
    const where = group === undefined ? '' : `WHERE "${key[0]}" = ?`;
    const order = key.map((column) => `"${column}" ${direction}`).join(', ');
    const rows = database.prepare(`SELECT ${quoted(columns)} FROM "${name}" ${where} ORDER BY ${order}`);
    try {
      for (const row of rows.iterate(...(group === undefined ? [] : [group]))) yield row;
      return true;
    } catch (error) {
      if (!isDamage(error)) throw error;
      return false;
    }
  };
  if (yield* read('ASC')) return;
  yield* read('DESC');
  for (const group of groups) {
    if (!(yield* read('ASC', group))) yield* read('DESC', group);
  }
}

export function quoted(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join(', ');
}

/** Only SQLite's errors count as damage, so that a bug in this code is not hidden. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && typeof Reflect.get(error, 'errcode') === 'number';
}
