import { isDamage } from './sqlite-errors.ts';

/**
 * Returns the rows of a query. If a damaged page makes the query fail, reads the rows one by one, and replaces each
 * that cannot be read, so that one row does not take the others with it.
 *
 * @param slow `keys` must read only columns that are stored in front of the large one.
 */
export function readableRows<Row, Key>(
  all: () => Row[],
  slow: { keys: () => Key[]; one: (key: Key) => Row | undefined; lost: (key: Key) => Row },
): Row[] {
  const rows = unlessDamaged(all);
  if (rows !== undefined) return rows;
  return slow.keys().flatMap((key) => {
    const row = unlessDamaged(() => ({ found: slow.one(key) }));
    if (row === undefined) return [slow.lost(key)];
    return row.found === undefined ? [] : [row.found];
  });
}

/** Returns undefined if the result of a query is damaged. Other errors are thrown. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isDamage(error)) return undefined;
    throw error;
  }
}

/** The checksum of a row that stands for an unreadable one: no row has it. */
export const UNREADABLE = 2 ** 40;
