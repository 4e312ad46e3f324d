import { formatBytes, plural } from '../render/format.ts';
import { type Check, failedCheck } from './check.ts';

/** Checks the PostgreSQL database that `storage.url` names. Changes nothing, and creates no tables. */
export async function checkPostgres(url: string): Promise<Check[]> {
  const name = 'database';
  const { examinePostgres } = await import('@longhaul/storage/postgres');
  try {
    const { address, version, hasTables, bytes, sessions } = await examinePostgres(url);
    const server = `${address}, PostgreSQL ${version}`;
    if (!hasTables) return [{ name, status: 'ok', detail: `${server}; the first run creates the tables` }];
    return [
      { name, status: 'ok', detail: `${server}, ${formatBytes(bytes)}` },
      { name: 'sessions', status: 'ok', detail: plural(sessions, 'session') },
    ];
  } catch (error) {
    return [failedCheck(name, error)];
  }
}
