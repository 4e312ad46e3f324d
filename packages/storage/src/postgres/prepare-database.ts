import { LonghaulError } from '@longhaul/protocol';
import type { Connection } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';

/** PostgreSQL 14 lacks features that the store uses, and its support ends in 2026. */
const MIN_VERSION = 150_000;
/** "LONG" in ASCII. The first half of the advisory lock; the second is the schema. */
const LOCK = 0x4c4f4e47;

interface ServerFacts {
  /** Such as `16.2`. */
  version: string;
  versionNumber: number;
  encoding: string;
  /** A replica, or a database that is set to read-only. */
  isReadOnly: boolean;
  /** Version of the tables. 0: there are none. */
  storeVersion: number;
}

export interface PrepareOptions {
  /** The address without the password. */
  address: string;
  schema: string;
  access: 'read' | 'write';
}

/**
 * Checks the server, and creates or migrates the tables. Several programs may do so at the same time.
 *
 * @throws {LonghaulError} `config_invalid`, `store_readonly`, `store_newer`, and as queries.
 */
export async function prepareDatabase(
  { client }: Pick<Connection, 'client'>,
  { address, schema, access }: PrepareOptions,
): Promise<ServerFacts> {
  const facts = await readFacts({ client }, schema);
  const problem = serverProblem(facts, { address, access });
  if (problem !== undefined) throw problem;
  if (facts.storeVersion === MIGRATIONS.length) return facts;
  if (access === 'read')
    throw new LonghaulError(
      'store_unavailable',
      `${address} has ${facts.storeVersion === 0 ? 'no sessions' : `tables of version ${facts.storeVersion}`}. Open it once for writing: the tables are created or changed then.`,
    );
  await migrate({ client }, { schema });
  return { ...facts, storeVersion: MIGRATIONS.length };
}

async function readFacts({ client }: Pick<Connection, 'client'>, schema: string): Promise<ServerFacts> {
  const [row] = await client`
    SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
      to_regclass(${`${schema}.longhaul`}) IS NOT NULL AS "hasTables"`;
  const versions = row?.['hasTables'] === true ? await client`SELECT version FROM longhaul` : [];
  return {
    version: String(row?.['version']),
    versionNumber: Number(row?.['number']),
    encoding: String(row?.['encoding']),
    isReadOnly: row?.['isReadOnly'] === true,
    storeVersion: Number(versions[0]?.['version'] ?? 0),
  };
}

/** Returns why this program cannot use the server. Undefined: it can. */
function serverProblem(
  { version, versionNumber, encoding, isReadOnly, storeVersion }: ServerFacts,
  { address, access }: Pick<PrepareOptions, 'address' | 'access'>,
): LonghaulError | undefined {
  const data = { address };
  if (versionNumber < MIN_VERSION)
    return new LonghaulError(
      'config_invalid',
      `The server of ${address} is PostgreSQL ${version}. Version 15 or newer is required.`,
      { data },
    );
  if (encoding !== 'UTF8')
    return new LonghaulError(
      'config_invalid',
      `The database ${address} has the encoding ${encoding}, which cannot store all texts. Create one with: createdb --encoding=UTF8 --template=template0 NAME`,
      { data },
    );
  if (storeVersion > MIGRATIONS.length)
    return new LonghaulError(
      'store_newer',
      `${address} has version ${storeVersion}; this program supports versions up to ${MIGRATIONS.length}. Use a newer version of the program, or another schema.`,
      { data: { address, storeVersion, programVersion: MIGRATIONS.length } },
    );
  if (isReadOnly && access === 'write')
    return new LonghaulError(
      'store_readonly',
      `${address} only allows reading: it is a replica, or the database is set to read-only. Use the primary server.`,
      { data },
    );
  return undefined;
}

/** Creates the schema and runs the missing migrations in one transaction. Other programs wait for it. */
async function migrate(
  { client }: Pick<Connection, 'client'>,
  { schema, migrations = MIGRATIONS }: { schema: string; migrations?: readonly string[] },
): Promise<void> {
  await client.begin(async (tx) => {
    // The migrations of another program may take longer than the lock timeout of a write.
    await tx`SET LOCAL lock_timeout = 0`;
    await tx`SELECT pg_advisory_xact_lock(${LOCK}, hashtext(${schema}))`;
    // Creating it needs a privilege, also if it exists.
    const found = await tx`SELECT FROM pg_namespace WHERE nspname = ${schema}`;
    if (found.length === 0) await tx`CREATE SCHEMA ${tx(schema)}`;
    await tx`CREATE TABLE IF NOT EXISTS longhaul (version INTEGER NOT NULL)`;
    const [row] = await tx`SELECT version FROM longhaul`;
    const version = Number(row?.['version'] ?? 0);
    for (const migration of migrations.slice(version)) await tx.unsafe(migration);
    if (row === undefined) await tx`INSERT INTO longhaul (version) VALUES (${migrations.length})`;
    else if (version < migrations.length) await tx`UPDATE longhaul SET version = ${migrations.length}`;
  });
}
