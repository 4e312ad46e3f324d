import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';

export type Row = Record<string, SQLOutputValue>;

/** A table of the new database, whose shape the damaged one's has too. */
export interface TableShape {
  name: string;
  columns: string[];
  /** Columns of the key of a table without row ids; else empty. */
  key: string[];
}

const LAST_ROW = 2 ** 52;

/**
 * Every row that can be read of a table with row ids. Where a page is damaged, the next row that can be reached is looked for: a tree of
 * pages leads past a damaged leaf.
 */
export function* readableRows(database: DatabaseSync, { name, columns }: TableShape): Generator<Row> {
  const sql = `SELECT rowid AS "-row-", ${quoted(columns)} FROM "${name}" NOT INDEXED WHERE rowid >= ? ORDER BY rowid`;
  // Prepared anew each time: a statement that met damage reports it once more when it is used again.
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

/** The first row behind `start` that can be read: found by steps that double, then by halving. */
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
 * Every row that can be read of a table that is its own index: from its beginning up to the damage, and from its end down to it. A row may come
 * twice. With `groups`, each of these values of the key's first column is read so by itself.
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

/** A defect of ours must not pass for damage. */
function isDamage(error: unknown): boolean {
  return error instanceof Error && typeof Reflect.get(error, 'errcode') === 'number';
}
