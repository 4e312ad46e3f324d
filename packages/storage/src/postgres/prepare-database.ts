import { LonghaulError } from '@longhaul/protocol';
import type { PoolClient } from 'pg';
import type { Connection } from './connection.ts';
import { MIGRATIONS, oldestProgram } from './migrations.ts';
import { withRetries } from './retries.ts';
import { allowSilence } from './silence.ts';
import { newerProblem, TABLE_VERSION, type TableVersion } from './table-version.ts';

/** PostgreSQL 14 lacks features that the store uses, and its support ends in 2026. */
const MIN_VERSION = 150_000;
/** "LONG" in ASCII. The first half of the advisory lock; the second is the schema. */
const LOCK = 0x4c4f4e47;

export interface ServerFacts extends TableVersion {
  /** Such as `16.2`. */
  version: string;
  versionNumber: number;
  encoding: string;
  /** A replica, or a database that is set to read-only. */
  isReadOnly: boolean;
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
  // A newer program may have changed the tables so that this one can still use them.
  if (facts.storeVersion >= MIGRATIONS.length) return facts;
  if (access === 'read')
    throw new LonghaulError(
      'store_unavailable',
      `${address} has ${facts.storeVersion === 0 ? 'no sessions' : `tables of version ${facts.storeVersion}`}. Open it once for writing: the tables are created or changed then.`,
    );
  // Readers of several tables can be in its way.
  await withRetries(() => migrate({ pool }, schema));
  const migrated = await readFacts({ pool }, schema);
  const newer = serverProblem(migrated, { address, access });
  if (newer !== undefined) throw newer;
  return migrated;
}

export async function readFacts({ pool }: Pick<Connection, 'pool'>, schema: string): Promise<ServerFacts> {
  const { rows } = await pool.query<Omit<ServerFacts, keyof TableVersion> & { hasTables: boolean }>(
    `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS "versionNumber",
      current_setting('server_encoding') AS encoding,
      pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly",
      to_regclass($1) IS NOT NULL AS "hasTables"`,
    [`${schema}.longhaul`],
  );
  const [{ hasTables, ...facts }] = rows as [(typeof rows)[number]];
  const versions = hasTables ? await pool.query<TableVersion>(TABLE_VERSION) : { rows: [] };
  const { storeVersion = 0, oldestVersion = 0 } = versions.rows[0] ?? {};
  return { ...facts, storeVersion, oldestVersion };
}

/** Returns why this program cannot use the server. Undefined: it can. */
export function serverProblem(
  { version, versionNumber, encoding, isReadOnly, storeVersion, oldestVersion }: ServerFacts,
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
  const newer = newerProblem({ storeVersion, oldestVersion }, address);
  if (newer !== undefined) return newer;
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
    if (version >= MIGRATIONS.length) return;
    if (version > 0) await stopWrites(client, version);
    for (const migration of MIGRATIONS.slice(version)) await client.query(migration);
    await client.query('DELETE FROM longhaul');
    await client.query('INSERT INTO longhaul (version, oldest) VALUES ($1, $2)', [
      MIGRATIONS.length,
      oldestProgram(),
    ]);
    await client.query('COMMIT');
  } finally {
    // Ends the transaction after an error.
    client.release(true);
  }
}

/**
 * Lets writes of other programs wait for the migration: each locks the head of its session first. Programs that cannot
 * use the migrated tables lose their leases. Their next write is refused, and they take no lease again.
 */
async function stopWrites(client: PoolClient, version: number): Promise<void> {
  await client.query('LOCK TABLE heads IN EXCLUSIVE MODE');
  if (version >= oldestProgram()) return;
  await client.query(
    'UPDATE heads SET run_id = NULL, expires_at = NULL, expires_uptime = NULL WHERE run_id IS NOT NULL',
  );
}
