import { type ChildProcess, type IOType, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import type { Readable, Stream } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import { systemCode } from '../files/file-errors.ts';
import { procLink } from '../process-identity.ts';
import { inheritedDescriptors } from './inherited-descriptors.ts';
import type { OutputChunk } from './output-pump.ts';
import type { CommandExit } from './supervise-command.ts';

export interface SpawnOptions {
  cwd?: string;
  env: Readonly<Record<string, string>>;
  stdin?: string;
  /** The caller writes to the standard input of `child`. Default false. */
  keepsInput?: boolean;
  /** Further pipes, as file descriptors 3, 4, … */
  extraPipes?: number;
}

export interface SpawnedProcess {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly outputs: readonly AsyncIterable<OutputChunk>[];
  readonly exited: Promise<CommandExit>;
  /**
   * Names of the program's standard output and error in /proc/PID/fd, to find other processes that have them open.
   * Empty without /proc.
   */
  readonly outputNames: ReadonlySet<string>;
  /** Closes outputs that a process out of reach keeps open. Call it when everything that could be killed is gone. */
  release(): Promise<void>;
  /** Gives outputs that are still open to a program that reads them, so that their writers outlive this process. */
  handOver(): void;
}

/** How long an output may stay silent, after the command has ended, before it is closed. */
const RELEASE_AFTER_MS = 250;

/**
 * Starts a program with exactly the given environment, and with an empty standard input unless the options say otherwise. The
 * program gets its own session, so that Ctrl-C in our terminal does not reach it.
 *
 * @throws {LonghaulError} `sandbox_failed` if the program cannot be started.
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
  // If nothing reads the pipes at the time of the exit, Node discards what they still hold.
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
    handOver: () => {
      for (const output of [stdout, stderr]) if (!output.readableEnded) handOver(output);
    },
  };
}

function startChild(file: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const nothing = openSync('/dev/null', 'r');
  try {
    const { cwd, env } = options;
    const stdio = withoutInherited(pipesOf(options), nothing);
    return spawn(file, args, { cwd, env: { ...env }, detached: true, stdio });
  } catch (error) {
    throw startFailure(file, error);
  } finally {
    closeSync(nothing);
  }
}

function pipesOf({ stdin, keepsInput, extraPipes = 0 }: SpawnOptions): IOType[] {
  const further = Array.from({ length: extraPipes }, () => 'pipe' as const);
  const hasInput = stdin !== undefined || keepsInput === true;
  return [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...further];
}

type Descriptor = IOType | number | Stream;

/** Descriptors that this process inherited are replaced in the program, which would inherit them too. */
function withoutInherited(own: readonly Descriptor[], nothing: number): Descriptor[] {
  const inherited = inheritedDescriptors().filter((descriptor) => descriptor >= own.length);
  // Node leaves a descriptor above 2 as it is where the list says `ignore`.
  const stdio: Descriptor[] = Array.from({ length: Math.max(-1, ...inherited) + 1 }, () => 'ignore');
  for (const [descriptor, type] of own.entries()) stdio[descriptor] = type;
  for (const descriptor of inherited) stdio[descriptor] = nothing;
  return stdio;
}

function startFailure(file: string, error: unknown): LonghaulError {
  const reason = error instanceof Error ? error.message : String(error);
  return new LonghaulError('sandbox_failed', `The command could not be started with ${file}: ${reason}`, {
    cause: error,
  });
}

function feed(child: ChildProcess, text: string): void {
  // A command may close its input without reading it. That is not a failure.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(text);
}

async function* chunks(readable: Readable, stream: OutputChunk['stream']): AsyncIterable<OutputChunk> {
  try {
    for await (const data of readable) yield { stream, data };
  } catch (error) {
    // Only `letGo` closes a stream before its end.
    if (systemCode(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** Without `cat`, the next write of a process that still has the output fails. */
function handOver(output: Readable): void {
  const nothing = openSync('/dev/null', 'r');
  try {
    const stdio = withoutInherited([output, 'ignore', 'ignore'], nothing);
    const reader = spawn('/bin/cat', [], { cwd: '/', env: {}, detached: true, stdio });
    reader.on('error', () => undefined);
    reader.unref();
  } finally {
    closeSync(nothing);
    output.destroy();
  }
}

async function letGo(output: Readable): Promise<void> {
  for (let silentMs = 0; silentMs < RELEASE_AFTER_MS; silentMs += 10) {
    if (output.readableEnded || output.destroyed) return;
    // Data that the consumer has not read yet is not silence.
    if (output.readableLength > 0) silentMs = 0;
    await sleep(10);
  }
  output.destroy();
}

/**
 * Reads the names at once, while the program still runs. Keeps only sockets and pipes that are not ours: until the
 * child's outputs are in place, it has ours, and `/dev/null` or our terminal would match unrelated processes.
 */
function namesOfOutputs(pid: number | undefined): Set<string> {
  if (pid === undefined) return new Set();
  const ours = new Set([0, 1, 2].map((fd) => procLink(`self/fd/${fd}`)));
  const names = [1, 2].flatMap((fd) => procLink(`${pid}/fd/${fd}`) ?? []);
  return new Set(names.filter((name) => /^(?:socket|pipe):\[/.test(name) && !ours.has(name)));
}
