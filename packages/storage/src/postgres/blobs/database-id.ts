import { sql } from 'drizzle-orm';
import { type Db, rowsOf } from '../connection.ts';

/**
 * Returns what names a store among all others: its server, its database and its schema. A replica that becomes the
 * primary server keeps the name; a database that pg_restore has made gets another one.
 */
export async function readDatabaseId(db: Db, schema: string): Promise<string> {
  const [row] = await rowsOf<{ server: string; database: string }>(
    db,
    sql`SELECT (SELECT system_identifier::text FROM pg_control_system()) AS server,
      (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database`,
  );
  return `${row?.server}-${row?.database}-${schema}`;
}
