import { LonghaulError } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import { type Db, rowsOf } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';

/** Versions are numbers of migrations. */
export type TableVersion = {
  /** The version of the tables. 0: there are none. */
  storeVersion: number;
  /** The oldest program that can use the tables. */
  oldestVersion: number;
};

/** Reads a `TableVersion`. Tables that name no oldest program suit only programs of their own version. */
export const TABLE_VERSION = `SELECT version AS "storeVersion",
  coalesce((to_jsonb(longhaul) ->> 'oldest')::int, version) AS "oldestVersion" FROM longhaul`;

/** Returns why the tables are too new for this program. Undefined: they are not. */
export function newerProblem(
  { storeVersion, oldestVersion }: TableVersion,
  address: string,
): LonghaulError | undefined {
  if (oldestVersion <= MIGRATIONS.length) return undefined;
  return new LonghaulError(
    'store_newer',
    `${address} has version ${storeVersion}, which needs a program of version ${oldestVersion} or newer; this program has version ${MIGRATIONS.length}. Update the program, or use another schema.`,
    { data: { address, storeVersion, programVersion: MIGRATIONS.length } },
  );
}

/** @throws {LonghaulError} `store_newer` if another program has changed the tables so that this one cannot use them. */
export async function assertUsable(db: Db, address: string): Promise<void> {
  const [version] = await rowsOf<TableVersion>(db, sql.raw(TABLE_VERSION));
  const problem = version && newerProblem(version, address);
  if (problem !== undefined) throw problem;
}
