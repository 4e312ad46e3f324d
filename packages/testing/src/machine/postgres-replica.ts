import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findPostgres, freePort, type PostgresServer, serverUser, started } from './postgres-server.ts';

const run = promisify(execFile);

/** A server that follows another one by asynchronous streaming replication. It ends with the test. */
export interface PostgresReplica extends AsyncDisposable {
  readonly port: number;
  /** Runs SQL and returns the rows as text, without decoration. */
  query(sql: string): Promise<string>;
  /** Receives nothing from now on: what the primary server commits is not replicated. */
  cutOff(): Promise<void>;
  /** Makes it the primary server, with what it has received. End the other one first. */
  promote(): Promise<void>;
}

/** Starts a replica on a free port of this machine. */
export async function startReplica(primary: PostgresServer): Promise<PostgresReplica> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed. Check findPostgres() first.');
  const home = await mkdtemp(join(tmpdir(), 'longhaul-replica-'));
  const user = await serverUser();
  if (user !== undefined) await chown(home, user.uid, user.gid);
  const as = { cwd: home, ...user };
  const folder = join(home, 'data');
  const at = (port: number) => ['-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres'];
  const copy = ['-D', folder, ...at(primary.port), '-R', '-X', 'stream', '-c', 'fast', '--no-sync'];
  await run(join(programs, 'pg_basebackup'), copy, as);
  const port = await freePort();
  const own = `\nport = ${port}\nunix_socket_directories = '${home}'\n`;
  await appendFile(join(folder, 'postgresql.conf'), own);
  const server = await started(programs, folder, as);
  const query = async (sql: string) =>
    (await run(join(programs, 'psql'), ['-XAtq', ...at(port), '-c', sql], as)).stdout.trim();
  return {
    port,
    query,
    async cutOff() {
      await query("ALTER SYSTEM SET primary_conninfo = ''");
      await query('SELECT pg_reload_conf()');
      while ((await query('SELECT count(*) FROM pg_stat_wal_receiver')) !== '0') await setTimeout(50);
    },
    async promote() {
      await query('SELECT pg_promote()');
    },
    async [Symbol.asyncDispose]() {
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGQUIT');
        await ended;
      }
      await rm(home, { recursive: true, force: true });
    },
  };
}
