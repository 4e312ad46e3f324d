import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const COMMAND = fileURLToPath(new URL('../../../packages/cli/bin/longhaul.js', import.meta.url));

/** Clock ticks in /proc on Linux. */
const TICKS_PER_SECOND = 100;

/** `longhaul serve` in its own process, with a model that streams at a fixed pace. */
export interface Serving extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  readonly folder: string;
  readonly pid: number;
  /** Current and peak memory of the server in MB, and its CPU time so far. */
  usage(): Promise<{ nowMb: number; peakMb: number; cpuSeconds: number }>;
}

export interface ServingOptions {
  /** Pieces of each answer, and the time between two of them. */
  deltas: number;
  intervalMs: number;
  /** Default: no limit. */
  maxRuns?: number;
  /** Fills the database at this path before the server opens it. */
  fill?: (path: string) => Promise<void>;
}

export async function startServing(options: ServingOptions): Promise<Serving> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-server-'));
  const database = join(folder, 'bench.db');
  await options.fill?.(database);
  const model = startScript('paced-model.ts', [String(options.deltas), String(options.intervalMs)]);
  const port = await firstLine(model);
  await writeFile(
    join(folder, 'longhaul.yml'),
    JSON.stringify({
      model: 'paced/one',
      providers: { paced: { baseUrl: `http://127.0.0.1:${port}/v1`, models: { one: { window: 128_000 } } } },
      sandbox: { driver: 'local' },
      storage: { url: `sqlite:${database}` },
      server: { requestsPerSecond: null, maxRuns: options.maxRuns ?? null },
    }),
  );
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const server = spawn(
    process.execPath,
    [...process.execArgv, COMMAND, 'serve', '--trust', '--port', '0', '--json', '--log-level', 'warn'],
    { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const { url, tokenFile }: { url: string; tokenFile: string } = JSON.parse(await firstLine(server));
  const token = (await readFile(tokenFile, 'utf8')).trim();
  return {
    url,
    token,
    folder,
    pid: server.pid ?? 0,
    async usage() {
      const status = await readFile(`/proc/${server.pid}/status`, 'utf8');
      const mb = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1_024;
      const fields = (await readFile(`/proc/${server.pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
      const cpuSeconds = (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
      return { nowMb: mb('VmRSS'), peakMb: mb('VmHWM'), cpuSeconds };
    },
    async [Symbol.asyncDispose]() {
      model.kill();
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export function startScript(name: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const child = spawn(process.execPath, [path, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  // The child is also killed if this process exits early.
  process.once('exit', () => child.kill());
  return child;
}

export async function firstLine(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('The process has no output.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The process ended without output.');
}
