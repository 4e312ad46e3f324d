/** Rooms: containers, or roots like them, in which an adapter runs the agent and the tests of an exercise. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, realpathSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const AGENT_PATH = '/opt/longhaul';
const OUT_PATH = '/agent-out';

export interface RoomOptions {
  /** The unpacked tarball on this machine. It is read-only in the room. */
  agent: string;
  /** A folder on this machine for what the agent reports. */
  out: string;
  /** A folder of this machine and its place in the room. Absent: the image has the workspace. */
  work?: { from: string; to: string };
  /** Environment of the agent, with its key. */
  env: Readonly<Record<string, string>>;
}

export interface Room extends AsyncDisposable {
  readonly agentPath: string;
  readonly outPath: string;
  /** Runs a program without a terminal, and waits for it. */
  run(argv: readonly string[], options: RoomRun): Promise<RoomResult>;
}

export interface RoomRun {
  cwd: string;
  stdin?: string;
  /** The variables of the room are passed, with the key. Only the agent needs them. */
  withEnv?: boolean;
  /** Then the program is killed, and `code` is null. Default: no limit. The room needs `timeout` of coreutils. */
  timeoutSeconds?: number;
}

export interface RoomResult {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Opens a container of an image with the `docker` command. */
export async function openDockerRoom(image: string, options: RoomOptions): Promise<Room> {
  const { agent, out, work, env } = options;
  const mounts = [`${agent}:${AGENT_PATH}:ro`, `${out}:${OUT_PATH}`];
  if (work !== undefined) mounts.push(`${work.from}:${work.to}`);
  const volumes = mounts.flatMap((mount) => ['-v', mount]);
  const start = ['run', '-d', '--rm', '--init', ...volumes, '--entrypoint', 'sleep', image, 'infinity'];
  const { stdout } = await promisify(execFile)('docker', start);
  const container = stdout.trim();
  return {
    agentPath: AGENT_PATH,
    outPath: OUT_PATH,
    run(argv, run) {
      // The values stay out of the list of processes: `docker` reads them from its own environment.
      const names = run.withEnv ? Object.keys(env).flatMap((name) => ['-e', name]) : [];
      const words = ['exec', '-i', '-w', run.cwd, ...names, container, ...limited(argv, run)];
      return runProgram('docker', words, { ...run, env: { ...process.env, ...env } });
    },
    async [Symbol.asyncDispose]() {
      await promisify(execFile)('docker', ['rm', '-f', container]);
    },
  };
}

/** Folders of this machine that a bubblewrap room shows, read-only. */
const SHOWN = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/etc', '/opt'];
/** No Node.js of this machine: a room has what the tarball brings. */
const HIDDEN = ['/usr/bin/node', '/usr/bin/nodejs', '/usr/local/bin/node'];

/** Opens a root made of this machine's system folders with `bwrap`. It isolates nothing, and needs no image. */
export async function openBubblewrapRoom(options: RoomOptions): Promise<Room> {
  const { agent, out, work, env } = options;
  const bind = (kind: string, from: string, to = from) => [kind, from, to];
  const root = [
    ...SHOWN.filter((path) => existsSync(path)).flatMap((path) => bind('--ro-bind', path)),
    ...['--tmpfs', '/opt', '--tmpfs', '/root', '--tmpfs', '/run', '--tmpfs', '/tmp'],
    ...['--dev-bind', '/dev', '/dev', '--bind', '/proc', '/proc'],
    ...hiddenFiles().flatMap((path) => bind('--ro-bind', '/dev/null', path)),
    ...bind('--ro-bind', agent, AGENT_PATH),
    ...bind('--bind', out, OUT_PATH),
    ...(work === undefined ? [] : bind('--bind', work.from, work.to)),
  ];
  return {
    agentPath: AGENT_PATH,
    outPath: OUT_PATH,
    run(argv, run) {
      const home = { HOME: OUT_PATH, PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8' };
      return runProgram('bwrap', [...root, '--chdir', run.cwd, '--', ...limited(argv, run)], {
        ...run,
        env: run.withEnv ? { ...home, ...env } : home,
      });
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** What a link leads to is hidden in place of the link, which cannot be mounted over. */
function hiddenFiles(): string[] {
  return [...new Set(HIDDEN.filter((path) => existsSync(path)).map((path) => realpathSync(path)))];
}

/** The limit holds inside: killing `docker exec` would leave the program running. */
function limited(argv: readonly string[], { timeoutSeconds }: RoomRun): readonly string[] {
  return timeoutSeconds === undefined ? argv : ['timeout', '--kill-after=5', String(timeoutSeconds), ...argv];
}

/** Exit codes of `timeout`, the second after a kill. */
const TIMED_OUT = [124, 137];

async function runProgram(
  file: string,
  args: readonly string[],
  { stdin = '', timeoutSeconds, env }: RoomRun & { env: NodeJS.ProcessEnv },
): Promise<RoomResult> {
  const child = spawn(file, args, { env, stdio: 'pipe' });
  const closed = once(child, 'close') as Promise<[number | null]>;
  child.stdin.on('error', () => undefined);
  child.stdin.end(stdin);
  const [[code], stdout, stderr] = await Promise.all([closed, text(child.stdout), text(child.stderr)]);
  const isLate = timeoutSeconds !== undefined && TIMED_OUT.includes(code ?? 0);
  return { code: isLate ? null : code, stdout, stderr };
}
