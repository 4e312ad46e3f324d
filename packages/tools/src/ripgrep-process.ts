import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { LonghaulError } from '@longhaul/protocol';
import { badPattern } from './workspace-search.ts';

export interface RipgrepRun {
  program: string;
  args: readonly string[];
  /** What is searched, relative to `root`. */
  path: string;
  root: string;
  signal: AbortSignal;
  deadlineMs: number;
}

/** Whether the program can be run. Never throws. */
export async function hasRipgrep(program: string): Promise<boolean> {
  const child = spawn(program, ['--version'], { stdio: 'ignore', env: environment() });
  try {
    const [code] = await once(child, 'close');
    return code === 0;
  } catch {
    return false;
  }
}

/**
 * Runs ripgrep on this machine, as a plain process without a shell, and yields its output as it arrives. Leaving the
 * loop early kills it.
 *
 * @throws {LonghaulError} `invalid_request` if it complains and finds nothing, or runs longer than the deadline.
 */
export async function* runRipgrep(run: RipgrepRun): AsyncGenerator<Buffer> {
  const { program, args, path, root, signal, deadlineMs } = run;
  signal.throwIfAborted();
  const child = spawn(program, [...args, '--', path === '' ? '.' : path], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const closed = once(child, 'close');
  // Awaited below. Without this line, an early failure would be an unhandled rejection.
  closed.catch(() => undefined);
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString()).slice(0, 2_000);
  });
  const kill = () => child.kill('SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  let isLate = false;
  const deadline = setTimeout(() => {
    isLate = true;
    kill();
  }, deadlineMs);
  let isEmpty = true;
  try {
    for await (const chunk of child.stdout) {
      isEmpty = false;
      yield chunk;
    }
    const [code] = await closed;
    signal.throwIfAborted();
    if (isLate) throw tooSlow(deadlineMs);
    // Exit code 1: nothing found. 2 after some output: a file could not be read, and is skipped.
    if (code === 2 && isEmpty && complaint !== '')
      throw new LonghaulError('invalid_request', explain(complaint));
  } finally {
    clearTimeout(deadline);
    signal.removeEventListener('abort', kill);
    kill();
    await closed;
  }
}

function tooSlow(deadlineMs: number): LonghaulError {
  const seconds = `${deadlineMs / 1_000} s`;
  return new LonghaulError(
    'invalid_request',
    `The search took more than ${seconds} and was stopped. Search a smaller folder with \`path\`.`,
  );
}

function explain(complaint: string): string {
  const text = complaint.trim();
  return /regex|pattern|literal/i.test(text) ? badPattern(text) : text;
}

/** Returns only the variables that the program needs: this process's environment contains keys. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], SystemRoot: process.env['SystemRoot'] };
}
