import { LonghaulError } from '@longhaul/protocol';
import type { Connection } from './connection.ts';
import { MIGRATIONS } from './migrations.ts';
import { allowSilence } from './silence.ts';

/** PostgreSQL 14 lacks features that the store uses, and its support ends in 2026. */
const MIN_VERSION = 150_000;
/** "LONG" in ASCII. The first half of the advisory lock; the second is the schema. */
const LOCK = 0x4c4f4e47;

export interface ServerFacts {
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
  { pool }: Pick<Connection, 'pool'>,
  { address, schema, access }: PrepareOptions,
): Promise<ServerFacts> {
  const facts = await readFacts({ pool }, schema);
  const problem = serverProblem(facts, { address, access });
  if (problem !== undefined) throw problem;
  if (facts.storeVersion === MIGRATIONS.length) return facts;
  if (access === 'read')
    throw new LonghaulError(
      'store_unavailable',
      `${address} has ${facts.storeVersion === 0 ? 'no sessions' : `tables of version ${facts.storeVersion}`}. Open it once for writing: the tables are created or changed then.`,
    );
  await migrate({ pool }, schema);
  return { ...facts, storeVersion: MIGRATIONS.length };
}

export async function readFacts({ pool }: Pick<Connection, 'pool'>, schema: string): Promise<ServerFacts> {
  const { rows } = await pool.query<Omit<ServerFacts, 'storeVersion'> & { hasTables: boolean }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
      to_regclass($1) IS NOT NULL AS "hasTables"`,
    [`${schema}.longhaul`],
  );
  const [{ hasTables, ...facts }] = rows as [(typeof rows)[number]];
  const versions = hasTables
    ? await pool.query<{ version: number }>('SELECT version FROM longhaul')
    : { rows: [] };
  return { ...facts, storeVersion: versions.rows[0]?.version ?? 0 };
}

/** Returns why this program cannot use the server. Undefined: it can. */
export function serverProblem(
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
async function migrate({ pool }: Pick<Connection, 'pool'>, schema: string): Promise<void> {
  const client = await pool.connect();
  allowSilence(client);
  try {
    await client.query('BEGIN');
    // The migrations of another program may take longer than the lock timeout of a write.
    await client.query('SET LOCAL lock_timeout = 0');
    await client.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [LOCK, schema]);
    // Creating it needs a privilege, also if it exists.
    const found = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
    if (found.rowCount === 0) await client.query(`CREATE SCHEMA ${schema}`);
    await client.query('CREATE TABLE IF NOT EXISTS longhaul (version INTEGER NOT NULL)');
    const { rows } = await client.query<{ version: number }>('SELECT version FROM longhaul');
    const version = rows[0]?.version ?? 0;
    for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
    await client.query('DELETE FROM longhaul');
    await client.query('INSERT INTO longhaul (version) VALUES ($1)', [MIGRATIONS.length]);
    await client.query('COMMIT');
  } finally {
    // Ends the transaction after an error.
    client.release(true);
  }
}
