import { LonghaulError } from '@longhaul/protocol';

/**
 * Parses a JSON column. The store wrote it from a value of type `T`, so the type is not checked. Callers that must
 * handle damaged rows validate the result.
 *
 * @throws {LonghaulError} `store_corrupt` with the table and row if the text is not valid JSON.
 */
export function parseColumn<T>(text: string, row: { table: string; id: string }): T {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new LonghaulError(
      'store_corrupt',
      `Row "${row.id}" of table ${row.table} does not contain valid JSON. Delete that row, or restore a backup of the database.`,
      { cause: error, data: row },
    );
  }
}

/** Returns JSON text for a nullable column. */
export function toColumn(value: object | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

type Present<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: Exclude<T[K], null>;
};

/** Returns the row without its null columns, because the protocol types use absent properties instead of null. */
export function withoutNulls<T extends object>(row: T): Present<T>;
export function withoutNulls(row: object): object {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== undefined));
}
