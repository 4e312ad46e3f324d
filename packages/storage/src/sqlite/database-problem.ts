import { LonghaulError } from '@longhaul/protocol';
import { MIGRATIONS } from './migrations.ts';

/** "LONG" in ASCII. Identifies Longhaul databases. */
export const APPLICATION_ID = 0x4c4f4e47;

export interface DatabaseFacts {
  path: string;
  /** `PRAGMA user_version`. */
  version: number;
  /** `PRAGMA application_id`. */
  applicationId: number;
  hasTables: boolean;
}

/**
 * Returns why this program cannot use a database that SQLite can read: `store_corrupt` for a database of another
 * program, `store_newer` for a newer version. Returns undefined if it can be used.
 */
export function databaseProblem(facts: DatabaseFacts, newest = MIGRATIONS.length): LonghaulError | undefined {
  const { path, version } = facts;
  if (facts.applicationId !== APPLICATION_ID && facts.hasTables) {
    return new LonghaulError(
      'store_corrupt',
      `${path} is an SQLite database of another program and was not changed. Set \`storage.url\` to another file.`,
      { data: { path } },
    );
  }
  if (version <= newest) return undefined;
  return new LonghaulError(
    'store_newer',
    `${path} has version ${version}; this program supports versions up to ${newest}. Use a newer version of the program, or another file.`,
    { data: { path, storeVersion: version, programVersion: newest } },
  );
}
