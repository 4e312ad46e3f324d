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

export interface Pace {
  /** Pieces of each answer, and the time between two of them. */
  deltas: number;
  intervalMs: number;
}

export interface ServingOptions extends Pace {
  /** Default: no limit. */
  maxRuns?: number;
  /** Fills the database at this path before the server opens it. */
  fill?: (path: string) => Promise<void>;
}

export async function startServing(options: ServingOptions): Promise<Serving> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bench-server-'));
  const database = join(folder, 'bench.db');
  await options.fill?.(database);
  const model = await startPacedModel(folder, options, {
    storage: { url: `sqlite:${database}` },
    server: { requestsPerSecond: null, maxRuns: options.maxRuns ?? null },
  });
  const server = startLonghaul(folder);
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

/** Starts a model of this pace, and writes a `longhaul.yml` with it and the settings into the folder. */
export async function startPacedModel(
  folder: string,
  { deltas, intervalMs }: Pace,
  settings: object,
): Promise<ChildProcess> {
  const model = startScript('paced-model.ts', [String(deltas), String(intervalMs)]);
  const baseUrl = `http://127.0.0.1:${await firstLine(model)}/v1`;
  const providers = { paced: { baseUrl, models: { one: { window: 128_000 } } } };
  const config = { model: 'paced/one', providers, sandbox: { driver: 'local' }, ...settings };
  await writeFile(join(folder, 'longhaul.yml'), JSON.stringify(config));
  return model;
}

/** Starts `longhaul serve` with the settings of the folder. Its first line names its address. */
export function startLonghaul(folder: string, flags: readonly string[] = []): ChildProcess {
  const serve = ['serve', '--trust', '--port', '0', '--json', '--log-level', 'warn'];
  return spawn(process.execPath, [...process.execArgv, COMMAND, ...serve, ...flags], {
    cwd: folder,
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
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
