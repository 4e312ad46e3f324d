import { LonghaulError } from '@longhaul/protocol';

/**
 * The value of a JSON column. What it holds was written by this store from a typed value, so it is trusted to be one again; callers
 * that must survive damage validate it.
 *
 * @throws {LonghaulError} `store_corrupt`, naming the row.
 */
export function parseColumn<T>(text: string, row: { table: string; id: string }): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LonghaulError(
      'store_corrupt',
      `Row "${row.id}" of table ${row.table} holds no valid JSON. Delete that row, or put back a backup of the database.`,
      { cause: error, data: row },
    );
  }
}

/** JSON for a column that may be null. */
export function toColumn(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

type Present<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** A row's columns without those that are null, as our types have it: absent, not null. */
export function withoutNulls<T extends object>(row: T): Present<T>;
export function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
}
