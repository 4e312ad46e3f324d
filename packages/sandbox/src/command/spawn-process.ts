import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import { systemCode } from '../files/file-errors.ts';
import { procLink } from '../process-identity.ts';
import type { CommandExit, OutputChunk } from './supervise-command.ts';

export interface SpawnOptions {
  cwd?: string;
  env: Readonly<Record<string, string>>;
  stdin?: string;
  /** Further pipes, as file descriptors 3, 4, … */
  extraPipes?: number;
}

export interface SpawnedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly outputs: readonly AsyncIterable<OutputChunk>[];
  readonly exited: Promise<CommandExit>;
  /** What the program's standard output and error are in /proc/PID/fd, to find who else has them; empty where there is no /proc. */
  readonly outputNames: ReadonlySet<string>;
  /** To be called when all that could be killed is gone: lets go of outputs that a process out of reach keeps open. */
  release(): Promise<void>;
}

/** How long an output may stay silent, once all is over, before it is let go of. */
const RELEASE_AFTER_MS = 250;

/**
 * Starts a program in a session of its own, so that a Ctrl-C in our terminal is ours alone, with an empty standard input
 * unless told otherwise, and with exactly the given environment.
 *
 * @throws {LonghaulError} `sandbox_failed` when it cannot be started.
 */
export async function spawnProcess(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
): Promise<SpawnedProcess> {
  const child = startChild(file, args, options);
  const outputNames = namesOfOutputs(child.pid);
  const exited = new Promise<CommandExit>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal === null ? { exitCode: code ?? 0 } : { signal }));
  });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw startFailure(file, error);
  }
  if (child.pid === undefined || child.stdout === null || child.stderr === null) {
    throw new LonghaulError('internal', `${file} was started without a process id or pipes.`);
  }
  // Without a reader at the time of the exit, Node throws away what the pipes still hold.
  for (const pipe of [child.stdout, child.stderr]) pipe.on('readable', () => undefined);
  if (options.stdin !== undefined) feed(child, options.stdin);
  const { stdout, stderr } = child;
  return {
    child,
    pid: child.pid,
    outputs: [chunks(stdout, 'stdout'), chunks(stderr, 'stderr')],
    exited,
    outputNames,
    release: async () => {
      await Promise.all([letGo(stdout), letGo(stderr)]);
    },
  };
}

function startChild(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  try {
    return spawn(file, args, {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      stdio: [
        options.stdin === undefined ? 'ignore' : 'pipe',
        'pipe',
        'pipe',
        ...Array.from({ length: options.extraPipes ?? 0 }, () => 'pipe' as const),
      ],
    });
  } catch (error) {
    throw startFailure(file, error);
  }
}

function startFailure(file: string, error: unknown): LonghaulError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LonghaulError('sandbox_failed', `The command could not be started with ${file}: ${reason}`, {
    cause: error,
  });
}

function feed(child: ChildProcess, text: string): void {
  // A command that does not read its input closes the pipe; that is its right, not a failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text);
}

async function* chunks(readable: Readable, stream: OutputChunk['stream']): AsyncIterable<OutputChunk> {
  try {
    for await (const data of readable) yield { stream, data };
  } catch (error) {
    // `letGo` has closed it; nothing else does before its end.
    if (systemCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

async function letGo(output: Readable): Promise<void> {
  for (let silentMs = 0; silentMs < RELEASE_AFTER_MS; silentMs += 10) {
    if (output.readableEnded || output.destroyed) return;
    // What is still held back by the consumer is not silence.
    if (output.readableLength > 0) silentMs = 0;
    await sleep(10);
  }
  output.destroy();
}

/**
 * Looked up at once, before the program can be gone. Only what was made for this program counts: before its outputs are in place it has
 * ours, and `/dev/null` or our own terminal would name every process of the machine as one that holds them.
 */
function namesOfOutputs(pid: number | undefined): Set<string> {
  if (pid === undefined) return new Set();
  const ours = new Set([0, 1, 2].map((fd) => procLink(`self/fd/${fd}`)));
  const names = [1, 2].flatMap((fd) => procLink(`${pid}/fd/${fd}`) ?? []);
  return new Set(names.filter((name) => /^(?:socket|pipe):\[/.test(name) && !ours.has(name)));
}
