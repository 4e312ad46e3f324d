import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PostgresServer, startPostgres } from '@longhaul/testing/machine';
import { firstLine, type Pace, startLonghaul, startPacedModel } from '../server/serving.ts';

/** Servers with one database, whose commits wait for the disk. */
export interface ServingCluster extends AsyncDisposable {
  readonly urls: readonly string[];
  readonly database: PostgresServer;
  /** CPU seconds so far: of all servers, of the database, and of the model server. */
  cpuSeconds(): Promise<CpuSeconds>;
}

export type CpuSeconds = Record<'servers' | 'database' | 'model', number>;

export interface ServingClusterOptions extends Pace {
  nodes: number;
  /** Fills the database before the servers open it. */
  fill?: (url: string) => Promise<void>;
}

export async function startServingCluster(options: ServingClusterOptions): Promise<ServingCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-cluster-'));
  const database = await startPostgres({
    isDurable: true,
    settings: { shared_buffers: '256MB', max_connections: '100' },
  });
  await options.fill?.(database.url);
  const model = await startPacedModel(folder, options, {
    storage: { url: database.url },
    cluster: { secret: 'the secret of this benchmark' },
    server: { requestsPerSecond: null, maxRuns: null },
  });
  const servers: ChildProcess[] = [];
  const urls: string[] = [];
  for (let node = 0; node < options.nodes; node += 1) {
    const server = startLonghaul(folder, ['--no-token']);
    servers.push(server);
    urls.push((JSON.parse(await firstLine(server)) as { url: string }).url);
    server.stdout?.resume();
  }
  return {
    urls,
    database,
    async cpuSeconds() {
      const pids = servers.flatMap(({ pid }) => pid ?? []);
      const used = await Promise.all(pids.map((pid) => cpuSecondsOf(pid)));
      const first = Number((await readFile(join(database.folder, 'postmaster.pid'), 'utf8')).split('\n')[0]);
      return {
        servers: used.reduce((sum, each) => sum + each, 0),
        database: await cpuSecondsOf(first, true),
        model: await cpuSecondsOf(model.pid ?? 0),
      };
    },
    async [Symbol.asyncDispose]() {
      model.kill();
      const exits = servers.map((server) => once(server, 'exit'));
      for (const server of servers) server.kill('SIGTERM');
      await Promise.all(exits);
      await database[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Clock ticks in /proc on Linux. */
const TICKS_PER_SECOND = 100;

/** With its children: those that live, and those that have ended. */
async function cpuSecondsOf(pid: number, withChildren = false): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const fields = (text.split(') ')[1] ?? '').split(' ');
  const own = (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
  if (!withChildren) return own;
  const ended = (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND;
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '');
  const living = await Promise.all(
    children
      .split(' ')
      .filter(Boolean)
      .map((child) => cpuSecondsOf(Number(child))),
  );
  return own + ended + living.reduce((sum, each) => sum + each, 0);
}
