import { parsePostgresUrl, shownPostgresAddress } from './postgres-address.ts';

/** What is known of a PostgreSQL database without changing it. */
export interface PostgresFacts {
  /** The address without the password. */
  address: string;
  /** Such as `16.2`. */
  version: string;
  /** Whether the tables exist. They are created when the store is opened. */
  hasTables: boolean;
  /** The size of the database in bytes, with everything else in it. */
  bytes: number;
  /** Number of sessions. */
  sessions: number;
}

/**
 * Checks whether a PostgreSQL database can be used. Changes nothing, and creates no table.
 *
 * @throws {LonghaulError} As `openPostgresStore`.
 */
export async function examinePostgres(url: string): Promise<PostgresFacts> {
  const parsed = parsePostgresUrl(url);
  const address = shownPostgresAddress(parsed);
  const [{ connect }, { readFacts, serverProblem }, { mapPostgresError }] = await Promise.all([
    import('./connection.ts'),
    import('./prepare-database.ts'),
    import('./postgres-errors.ts'),
  ]);
  const connection = connect(parsed, { maxConnections: 1 });
  try {
    const facts = await readFacts(connection, parsed.schema);
    const problem = serverProblem(facts, { address, access: 'write' });
    if (problem !== undefined) throw problem;
    const hasTables = facts.storeVersion > 0;
    const { pool } = connection;
    const size = await pool.query<{ bytes: string }>('SELECT pg_database_size(current_database()) AS bytes');
    const count = hasTables
      ? await pool.query<{ sessions: string }>('SELECT count(*) AS sessions FROM heads')
      : undefined;
    return {
      address,
      version: facts.version,
      hasTables,
      bytes: Number(size.rows[0]?.bytes),
      sessions: Number(count?.rows[0]?.sessions ?? 0),
    };
  } catch (error) {
    throw mapPostgresError(error, address);
  } finally {
    await connection.pool.end();
  }
}
