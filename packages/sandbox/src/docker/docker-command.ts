import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { LonghaulError } from '@longhaul/protocol';
import type { Container, Exec } from 'dockerode';
import type { OutputChunk } from '../command/output-pump.ts';
import { type CommandExit, exitOfShellCode, type RunningCommand } from '../command/supervise-command.ts';
import type { StartOptions } from '../create-sandbox.ts';
import { machineIdentity } from '../process-identity.ts';
import { isGone, reasonOf } from './engine.ts';
import { outputFrames } from './output-frames.ts';
import { SIGNAL_SCRIPT, SUPERVISE_SCRIPT } from './supervisor-script.ts';

const POLL_MS = 10;
/** How long killing a command may take before the whole container is killed. */
const KILL_DEADLINE_MS = 1_500;
const STOP_TIMEOUT_MS = 2_000;
/** Bytes before each frame of output: one for the stream, three unused, four for the length. */

export interface DockerCommand extends StartOptions {
  command: string;
}

/**
 * Starts a command in the container and settles when it runs. Rejects with the engine's own error, for `isGone` to
 * examine.
 */
export async function startDockerCommand(
  container: Container,
  request: DockerCommand,
): Promise<RunningCommand> {
  const mark = randomUUID();
  const hasInput = request.stdin !== undefined || request.keepsInput === true;
  const exec = await container.exec({
    Cmd: ['/bin/sh', '-c', SUPERVISE_SCRIPT, 'longhaul', mark, request.command],
    WorkingDir: request.cwd,
    AttachStdin: hasInput,
    AttachStdout: true,
    AttachStderr: true,
  });
  // The command has not started. If its container is removed now, it cannot.
  await request.record({ driver: 'docker', ...machineIdentity(), mark, container: container.id });
  const stream = await exec.start({ hijack: hasInput, stdin: hasInput });
  if (request.stdin !== undefined) stream.end(request.stdin);
  const over = Promise.withResolvers<void>();
  return {
    input: request.keepsInput ? stream : undefined,
    outputs: [demultiplex(stream, over.resolve)],
    exited: over.promise.then(() => exitOf(container, exec)),
    terminate: () => signalCommand(container, mark, 'TERM'),
    async destroy() {
      // Repeats the kill until the command has ended: a kill while the supervisor is still starting misses the command.
      const deadline = performance.now() + KILL_DEADLINE_MS;
      while (await isRunning(exec)) {
        await signalCommand(container, mark, 'KILL');
        // A fork bomb can prevent the kill from starting. Then the container is killed; the next command starts it
        // again.
        if (performance.now() > deadline) await killContainer(container);
        await sleep(POLL_MS);
      }
    },
  };
}

/** Splits the output of one connection. An unread chunk blocks the command through the engine's pipe. */
async function* demultiplex(stream: Readable, onEnd: () => void): AsyncIterable<OutputChunk> {
  try {
    yield* outputFrames(stream);
  } finally {
    onEnd();
  }
}

/** @throws {LonghaulError} `sandbox_failed` if the container ended while the command ran. */
async function exitOf(container: Container, exec: Exec): Promise<CommandExit> {
  while (await isRunning(exec)) await sleep(POLL_MS);
  const code = await exitCodeOf(exec);
  // A killed container also leaves 137, and the engine may not have noticed its end yet.
  if (code !== undefined && (code !== 137 || (await canRun(container)))) return exitOfShellCode(code);
  await untilStopped(container);
  throw new LonghaulError(
    'sandbox_failed',
    'The container ended while the command ran: it was killed from outside or ran out of memory. The next command starts it again. Files in the workspace are kept.',
  );
}

/** Whether a shell can be run in the container. */
export async function canRun(container: Container): Promise<boolean> {
  try {
    const exec = await container.exec({ Cmd: ['/bin/sh', '-c', ':'], AttachStdout: true });
    for await (const _ of await exec.start({}));
    while (await isRunning(exec)) await sleep(POLL_MS);
    return (await exitCodeOf(exec)) === 0;
  } catch {
    // Any failure means that it cannot.
    return false;
  }
}

/** Waits until the engine reports the container as stopped, so that the next command starts it again. */
async function untilStopped(container: Container): Promise<void> {
  for (let waitedMs = 0; waitedMs < STOP_TIMEOUT_MS; waitedMs += POLL_MS) {
    try {
      if (!(await container.inspect()).State.Running) return;
    } catch (error) {
      if (isGone(error)) return;
      throw engineFailure(error);
    }
    await sleep(POLL_MS);
  }
}

/** Returns undefined if the engine no longer knows the command. */
async function exitCodeOf(exec: Exec): Promise<number | undefined> {
  try {
    return (await exec.inspect()).ExitCode ?? undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw engineFailure(error);
  }
}

async function isRunning(exec: Exec): Promise<boolean> {
  try {
    return (await exec.inspect()).Running;
  } catch (error) {
    if (isGone(error)) return false;
    throw engineFailure(error);
  }
}

async function signalCommand(container: Container, mark: string, signal: 'TERM' | 'KILL'): Promise<void> {
  try {
    const exec = await container.exec({
      Cmd: ['/bin/sh', '-c', SIGNAL_SCRIPT, 'longhaul', mark, signal],
      AttachStdout: true,
    });
    const stream = await exec.start({});
    for await (const _ of stream);
  } catch (error) {
    // The container has ended, and everything in it.
    if (!isGone(error)) throw engineFailure(error);
  }
}

async function killContainer(container: Container): Promise<void> {
  try {
    await container.kill();
  } catch (error) {
    if (!isGone(error)) throw engineFailure(error);
  }
}

export function engineFailure(error: unknown): LonghaulError {
  if (error instanceof LonghaulError) return error;
  return new LonghaulError('sandbox_failed', `The Docker engine failed: ${reasonOf(error)}.`, {
    cause: error,
  });
}
