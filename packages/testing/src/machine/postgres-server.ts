import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync } from 'node:fs';
import { appendFile, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A PostgreSQL server of a test, with a folder of its own. It ends with the test. */
export interface PostgresServer extends AsyncDisposable {
  readonly port: number;
  /** Address of the database `postgres`, for its superuser. */
  readonly url: string;
  /** The same address with the port of a proxy, or of another server. */
  urlAt(port: number): string;
  /** The data folder. */
  readonly folder: string;
  /** Runs SQL and returns the rows as text, without decoration. */
  query(sql: string): Promise<string>;
  /** Ends the server as a power failure would, with SIGKILL for all its processes. */
  kill(): Promise<void>;
  /** Starts a killed server again. */
  start(): Promise<void>;
  /** Whether it runs. */
  readonly isRunning: boolean;
}

export interface PostgresServerOptions {
  /** Whether commits wait for the disk. Default: false. Turn it on where a test is about durability. */
  isDurable?: boolean;
  /** The folder that gets its data, such as a small disk. Default: a new one. */
  home?: string;
  /** Settings of `postgresql.conf`. */
  settings?: Readonly<Record<string, string>>;
}

/** Returns the folder of PostgreSQL's programs, the newest version first. Undefined: it is not installed. */
export function findPostgres(): string | undefined {
  const servers = globSync('/usr/{lib/postgresql,pgsql-}*/{bin,*/bin}/initdb').toSorted(byVersion);
  return servers[0] === undefined ? undefined : dirname(servers[0]);
}

/** Starts a server on a free port of this machine. Only this test knows it. */
export async function startPostgres(options: PostgresServerOptions = {}): Promise<PostgresServer> {
  const programs = findPostgres();
  if (programs === undefined) throw new Error('PostgreSQL is not installed. Check findPostgres() first.');
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'longhaul-postgres-')));
  const user = await serverUser();
  if (user !== undefined) await chown(home, user.uid, user.gid);
  const folder = join(home, 'data');
  const as = { cwd: home, ...user };
  await run(
    join(programs, 'initdb'),
    ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--no-locale'],
    as,
  );
  const port = await freePort();
  await appendFile(join(folder, 'postgresql.conf'), configuration({ ...options, home, port }));
  await guardOneUser(join(folder, 'pg_hba.conf'));

  let server = await started(programs, folder, as);
  const query = async (sql: string) =>
    (
      await run(
        join(programs, 'psql'),
        ['-XAtq', '-h', '127.0.0.1', '-p', `${port}`, '-U', 'postgres', '-c', sql],
        as,
      )
    ).stdout.trim();
  return {
    port,
    url: addressAt(port),
    urlAt: addressAt,
    folder,
    query,
    get isRunning() {
      return server.exitCode === null && server.signalCode === null;
    },
    async kill() {
      await killAll(server);
    },
    async start() {
      server = await startedAgain(programs, folder, as);
    },
    async [Symbol.asyncDispose]() {
      if (server.exitCode === null && server.signalCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGQUIT');
        await ended;
      }
      await rm(options.home === undefined ? home : folder, { recursive: true, force: true });
    },
  };
}

function addressAt(port: number): string {
  return `postgres://postgres@127.0.0.1:${port}/postgres`;
}

/** A password is required of the user `guarded` only. */
async function guardOneUser(path: string): Promise<void> {
  const rules = await readFile(path, 'utf8');
  await writeFile(path, `host all guarded 127.0.0.1/32 scram-sha-256\n${rules}`);
}

function configuration({
  home,
  port,
  isDurable = false,
  settings = {},
}: PostgresServerOptions & { home: string; port: number }): string {
  const durability = isDurable ? 'on' : 'off';
  const all = {
    listen_addresses: '127.0.0.1',
    port: `${port}`,
    unix_socket_directories: home,
    fsync: durability,
    synchronous_commit: durability,
    full_page_writes: durability,
    shared_buffers: '32MB',
    max_connections: '60',
    ...settings,
  };
  return Object.entries(all)
    .map(([name, value]) => `\n${name} = '${value}'`)
    .join('');
}

type User = { uid: number; gid: number };

/** PostgreSQL refuses to run as root. */
export async function serverUser(): Promise<User | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const [, , uid, gid] = (await readFile('/etc/passwd', 'utf8'))
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres') ?? ['', '', '65534', '65534'];
  return { uid: Number(uid), gid: Number(gid) };
}

export async function started(
  programs: string,
  folder: string,
  as: { cwd: string; uid?: number; gid?: number },
): Promise<ChildProcess> {
  const server = spawn(join(programs, 'postgres'), ['-D', folder], {
    ...as,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const endWithTest = () => void server.kill('SIGQUIT');
  process.once('exit', endWithTest);
  server.once('exit', () => process.off('exit', endWithTest));
  let log = '';
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${log}`)));
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < 100_000) log += text;
      if (/ready to accept (?:read-only )?connections/.test(log)) resolve();
    });
  });
  return server;
}

/** Starts a killed server. A process of the old one that began at its end can still hold the memory. */
async function startedAgain(...options: Parameters<typeof started>): Promise<ChildProcess> {
  for (;;) {
    try {
      return await started(...options);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes('shared memory block'))) throw error;
      await setTimeout(50);
    }
  }
}

/** The other processes of the server end when its first one is killed. */
async function killAll(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  const { pid } = server;
  const children = pid === undefined ? [] : await childrenOf(pid);
  server.kill('SIGKILL');
  for (const child of children) {
    try {
      process.kill(child, 'SIGKILL');
    } catch {
      // It has ended with the first one.
    }
  }
  await ended;
}

async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  return text.split(' ').filter(Boolean).map(Number);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return address.port;
}

function byVersion(left: string, right: string): number {
  const version = (path: string) => Number(/(\d+)\D*bin/.exec(path)?.[1] ?? 0);
  return version(right) - version(left);
}
