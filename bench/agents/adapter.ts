/** What the adapters for SWE-bench and the polyglot exercises share: their flags, the agent's call, and work in parallel. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { API_KEY_VARIABLES } from '@longhaul/models';
import { openBubblewrapRoom, openDockerRoom, type Room, type RoomOptions } from './rooms.ts';
import type { AgentResult } from './run/agent-run.ts';
import { layOutAgent } from './tarball.ts';

/** Flags of every adapter, for `parseArgs`. */
export const COMMON_FLAGS = {
  model: { type: 'string' },
  out: { type: 'string', default: 'agent-runs' },
  room: { type: 'string', default: 'docker' },
  jobs: { type: 'string', default: '1' },
  limit: { type: 'string' },
  only: { type: 'string', multiple: true },
  tarball: { type: 'string' },
  pass: { type: 'string', multiple: true },
} as const;

export interface CommonValues {
  model?: string | undefined;
  out: string;
  room: string;
  jobs: string;
  limit?: string | undefined;
  only?: string[] | undefined;
  tarball?: string | undefined;
  pass?: string[] | undefined;
}

export interface Adapter {
  /** Where everything is written. */
  out: string;
  model: string;
  /** Flags of `longhaul run`. */
  flags: readonly string[];
  openRoom(image: string, options: Pick<RoomOptions, 'out' | 'work'>): Promise<Room>;
  /** Ids that `file` has already, so that an interrupted measure continues. */
  done(file: string, key: string): Set<string>;
  append(file: string, line: object): void;
  /** Works on all items, `--jobs` at a time, except those left out by `--only` and `--limit`. */
  each<T>(items: readonly T[], id: (item: T) => string, work: (item: T) => Promise<void>): Promise<void>;
}

/** @throws {Error} for flags that have no meaning. */
export function openAdapter(values: CommonValues, flags: readonly string[]): Adapter {
  if (values.model === undefined) throw new Error('--model is missing, such as anthropic/claude-opus-4-5.');
  if (values.room !== 'docker' && values.room !== 'bubblewrap')
    throw new Error(`--room ${values.room}: it must be docker or bubblewrap.`);
  const jobs = wholeNumber(values.jobs, '--jobs');
  const limit = values.limit === undefined ? Number.POSITIVE_INFINITY : wholeNumber(values.limit, '--limit');
  const out = resolve(values.out);
  const agent = unpackedAgent(out, values.tarball);
  const env = passedOn(values.pass ?? []);
  return {
    out,
    model: values.model,
    flags,
    openRoom: (image, options) =>
      values.room === 'docker'
        ? openDockerRoom(image, { ...options, agent, env })
        : openBubblewrapRoom({ ...options, agent, env }),
    done(file, key) {
      const path = join(out, file);
      if (!existsSync(path)) return new Set();
      return new Set(readLines(path).map((line) => String(line[key])));
    },
    append: (file, line) => appendFileSync(join(out, file), `${JSON.stringify(line)}\n`),
    async each(items, id, work) {
      const wanted =
        values.only === undefined ? items : items.filter((item) => values.only?.includes(id(item)));
      const queue = wanted.slice(0, limit);
      const worker = async () => {
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
      };
      await Promise.all(Array.from({ length: jobs }, worker));
    },
  };
}

export interface AgentTask {
  task: string;
  cwd: string;
  /** Continues this session. */
  session?: string;
  /** A program that prepares the environment and then runs its arguments. */
  within?: readonly string[];
}

/** Runs the agent in a room. What it writes about the run is in the room's folder `out`, in `name`. */
export async function runAgent(
  { model, flags }: Pick<Adapter, 'model' | 'flags'>,
  { room, out, name }: { room: Room; out: string; name: string },
  { task, cwd, session, within = [] }: AgentTask,
): Promise<AgentResult> {
  const continued = session === undefined ? [] : ['--session', session];
  const argv = [`${room.agentPath}/bin/longhaul-agent`, '--out', `${room.outPath}/${name}`, '--cwd', cwd];
  const ended = await room.run([...within, ...argv, '--model', model, ...continued, '--', ...flags], {
    cwd,
    stdin: task,
    withEnv: true,
  });
  const path = join(out, name, 'result.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as AgentResult;
  throw new Error(`The agent did not start (exit code ${ended.code}): ${ended.stderr.slice(-2_000)}`);
}

/** Reads a file of one JSON object per line. */
export function readLines(path: string): Record<string, unknown>[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

function unpackedAgent(out: string, tarball: string | undefined): string {
  const folder = join(out, 'agent');
  const agent = join(folder, 'longhaul');
  if (existsSync(join(agent, 'bin', 'longhaul-agent'))) return agent;
  mkdirSync(folder, { recursive: true });
  if (tarball === undefined) layOutAgent(agent);
  else execFileSync('tar', ['-xzf', resolve(tarball), '-C', folder]);
  return agent;
}

/** The keys of providers that are set here, and what `--pass` names. */
function passedOn(names: readonly string[]): Record<string, string> {
  const all = [...Object.values(API_KEY_VARIABLES).flat(), 'LONGHAUL_API_KEY', ...names];
  return Object.fromEntries(
    all.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name] ?? '']])),
  );
}

function wholeNumber(text: string, flag: string): number {
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  throw new Error(`${flag} ${text}: it must be a positive whole number.`);
}
