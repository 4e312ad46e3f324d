import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findHostProgram, hostPath } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';
import type { Environment, ServerSettings } from '../server-settings.ts';
import {
  endingText,
  GRACE_MS,
  type ServerOutput,
  type ServerPlace,
  type ServerProcess,
} from './server-process.ts';

/** The variables of this process that every server gets. Keys are not among them. */
const PASSED =
  /^(?:HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TERM|XDG_\w+|SystemRoot|USERPROFILE|LOCALAPPDATA|APPDATA|TEMP|TMP)$/;

/** The leaders of the process groups that must not outlive this process. */
const leaders = new Set<number>();

/**
 * Starts a server in a process group of its own, so that everything that it starts ends with it, and Ctrl-C in our
 * terminal does not reach it.
 *
 * @throws {LonghaulError} `mcp_unavailable` if the program does not exist or cannot be started.
 */
export async function startHostProcess(
  { command = '', args = [], env = {}, cwd }: ServerSettings,
  { workspace, host, variables = {}, graceMs = GRACE_MS }: ServerPlace,
  output: ServerOutput,
): Promise<ServerProcess> {
  const program = findProgram(command, host);
  const passed = Object.entries(host).filter(([name]) => PASSED.test(name));
  const child = spawn(program, args, {
    cwd: cwd ?? workspace,
    env: { ...Object.fromEntries(passed), PATH: hostPath(host['PATH']), ...env, ...variables },
    stdio: 'pipe',
    detached: process.platform !== 'win32',
  });
  // A write to a server that has ended fails. Its end is reported by itself.
  child.stdin.on('error', () => {});
  try {
    await once(child, 'spawn');
  } catch (cause) {
    throw new LonghaulError('mcp_unavailable', `${program} cannot be started: ${reasonOf(cause)}.`, {
      cause,
    });
  }
  keepUntilExit(child);
  child.stdout.on('data', (chunk: Buffer) => output.stdout(chunk));
  child.stderr.setEncoding('utf8').on('data', (text: string) => output.stderr(text));
  // After `close`, all output has been read.
  child.once('close', () => output.closed());
  return new HostProcess(child, workspace, graceMs);
}

class HostProcess implements ServerProcess {
  readonly workspacePath: string;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #graceMs: number;

  constructor(child: ChildProcessWithoutNullStreams, workspace: string, graceMs: number) {
    this.#child = child;
    this.workspacePath = workspace;
    this.#graceMs = graceMs;
  }

  get ending(): string | undefined {
    const { exitCode, signalCode } = this.#child;
    return hasEnded(this.#child) ? endingText({ exitCode, signal: signalCode }) : undefined;
  }

  async write(text: string): Promise<void> {
    const { stdin } = this.#child;
    if (!stdin.writable) throw new Error('The server has ended.');
    if (!stdin.write(text)) await once(stdin, 'drain').catch(() => undefined);
  }

  async end(): Promise<void> {
    const child = this.#child;
    child.stdin.end();
    if (await endsWithin(child, this.#graceMs)) return;
    killGroup(child.pid, 'SIGTERM');
    if (await endsWithin(child, this.#graceMs)) return;
    killGroup(child.pid, 'SIGKILL');
    if (!hasEnded(child)) await once(child, 'exit');
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }
}

function findProgram(command: string, host: Environment): string {
  if (isAbsolute(command) || command.includes('/')) return command;
  const found = findHostProgram(command, host['PATH']);
  if (found !== undefined) return found;
  throw new LonghaulError(
    'mcp_unavailable',
    `There is no program ${JSON.stringify(command)} on the PATH. Install it, or name its path in \`command\`.`,
  );
}

function keepUntilExit(child: ChildProcessWithoutNullStreams): void {
  const { pid } = child;
  if (pid === undefined) return;
  if (leaders.size === 0) process.once('exit', killLeft);
  leaders.add(pid);
  child.once('exit', () => {
    // What the server has started has nobody to talk to.
    killGroup(pid, 'SIGKILL');
    leaders.delete(pid);
    if (leaders.size === 0) process.off('exit', killLeft);
  });
}

function killLeft(): void {
  for (const pid of leaders) killGroup(pid, 'SIGKILL');
}

function killGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}

function hasEnded(child: ChildProcessWithoutNullStreams): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function endsWithin(child: ChildProcessWithoutNullStreams, ms: number): Promise<boolean> {
  if (hasEnded(child)) return true;
  const timer = new AbortController();
  const ended = once(child, 'exit', { signal: timer.signal }).then(
    () => true,
    () => hasEnded(child),
  );
  const waited = sleep(ms, false, { signal: timer.signal }).catch(() => hasEnded(child));
  const result = await Promise.race([ended, waited]);
  timer.abort();
  return result;
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && 'code' in error) return String(error.code);
  return error instanceof Error ? error.message : String(error);
}
