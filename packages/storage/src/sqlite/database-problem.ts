import { LonghaulError } from '@longhaul/protocol';
import { MIGRATIONS } from './migrations.ts';

/** "LONG" in ASCII. Tells our databases from those of other programs. */
export const APPLICATION_ID = 0x4c4f4e47;

export interface DatabaseFacts {
  path: string;
  /** `PRAGMA user_version`. */
  version: number;
  /** `PRAGMA application_id`. */
  applicationId: number;
  hasTables: boolean;
}

/** Why this program cannot use a database that SQLite can read: `store_corrupt` for another program's, `store_newer`; or undefined. */
export function databaseProblem(facts: DatabaseFacts, newest = MIGRATIONS.length): LonghaulError | undefined {
  const { path, version } = facts;
  if (facts.applicationId !== APPLICATION_ID && facts.hasTables) {
    return new LonghaulError(
      'store_corrupt',
      `${path} is an SQLite database of another program. It was left as it is. Name another file with \`storage.url\`.`,
      { data: { path } },
    );
  }
  if (version <= newest) return undefined;
  return new LonghaulError(
    'store_newer',
    `${path} has version ${version}; this program knows versions up to ${newest}. Use the newer program, or another file.`,
    { data: { path, storeVersion: version, programVersion: newest } },
  );
}
