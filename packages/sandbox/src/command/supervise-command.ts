import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecOptions, ExecResult } from '@longhaul/core';
import { type OutputChunk, pumpOutputs } from './output-pump.ts';

/** How long a command may run after SIGTERM before it gets SIGKILL. */
const TERMINATE_GRACE_MS = 1_000;

export interface CommandExit {
  exitCode?: number;
  signal?: string;
}

/** A command that a driver has started. */
export interface RunningCommand {
  /** Standard input, if it was to be kept open. */
  readonly input?: Writable;
  /** Each is read one chunk at a time. Unread output must block the command. */
  readonly outputs: readonly AsyncIterable<OutputChunk>[];
  /** Settles when the command itself has ended. Rejects if the sandbox died while the command ran. */
  readonly exited: Promise<CommandExit>;
  /** Sends SIGTERM to the whole process tree. */
  terminate(): void | Promise<void>;
  /** Kills what is left of the process tree, and settles when all of it is gone. Can be called more than once. */
  destroy(): Promise<void>;
  /** Returns how many processes of the tree run. Absent: none may run after the command has ended. */
  countRunning?(): number;
  /** Leaves the processes of the tree to themselves, for longer than this process lives. */
  abandon?(): void;
}

interface Watch extends Pick<ExecOptions, 'signal' | 'onOutput'> {
  /** Default: no limit. */
  timeoutMs?: number;
  /** Its abort ends the command as a timeout does, with the result `aborted`. */
  stop?: AbortSignal;
}

/**
 * Runs a started command to its end: passes its output on, ends it on timeout or abort, and kills what it left running.
 * The first cause wins. After this settles, no process of the command runs, except for those that `leftRunning` counts.
 */
export async function superviseCommand(command: RunningCommand, watch: Watch): Promise<ExecResult> {
  const startedAt = performance.now();
  const ending = createEnding(command);
  const onAbort = () => ending.abort();
  const onStop = () => ending.terminate('aborted');
  const timer =
    watch.timeoutMs === undefined
      ? undefined
      : setTimeout(() => ending.terminate('timeout'), watch.timeoutMs);
  watch.stop?.addEventListener('abort', onStop, { once: true });
  watch.signal?.addEventListener('abort', onAbort, { once: true });
  if (watch.signal?.aborted) onAbort();
  if (watch.stop?.aborted) onStop();
  const pump = pumpOutputs(command.outputs, watch.onOutput);
  // If the consumer throws, the command is ended. The error is thrown below, when `pump.ended` is awaited.
  pump.ended.catch(onAbort);
  let leftRunning = 0;
  try {
    const exit = await command.exited.catch((error: unknown): CommandExit => {
      // Ending a command can end its sandbox too. That is not a failure.
      if (ending.cause !== 'exit') return { signal: 'SIGKILL' };
      throw error;
    });
    const durationMs = performance.now() - startedAt;
    clearTimeout(timer);
    if (ending.cause === 'exit' && (command.countRunning?.() ?? 0) > 0) {
      await pump.passOn(() => ending.cause !== 'exit');
      if (ending.cause === 'exit') leftRunning = command.countRunning?.() ?? 0;
    }
    return { ...resultOf(ending.cause, exit, durationMs), ...(leftRunning > 0 && { leftRunning }) };
  } finally {
    clearTimeout(timer);
    watch.signal?.removeEventListener('abort', onAbort);
    watch.stop?.removeEventListener('abort', onStop);
    if (leftRunning === 0) await command.destroy();
    await ending.settled();
    if (leftRunning > 0) pump.drop();
    else await pump.ended;
  }
}

/** Records why a command is being ended, and does the work. */
function createEnding(command: RunningCommand) {
  const over = new AbortController();
  const work: Promise<void>[] = [];
  // Failures are thrown when the work is awaited. Until then they must not count as unhandled rejections.
  const track = (step: Promise<void>) => {
    step.catch(() => undefined);
    work.push(step);
  };
  const terminateThenKill = async () => {
    await command.terminate();
    await sleep(TERMINATE_GRACE_MS, undefined, { signal: over.signal }).catch(() => undefined);
    if (!over.signal.aborted) await command.destroy();
  };
  return {
    cause: 'exit' as ExecResult['ended'],
    terminate(cause: 'timeout' | 'aborted') {
      if (this.cause !== 'exit') return;
      this.cause = cause;
      track(terminateThenKill());
    },
    /** Kills at once, also during the grace period of `terminate`. */
    abort() {
      if (this.cause === 'exit') this.cause = 'aborted';
      track(command.destroy());
    },
    async settled() {
      over.abort();
      await Promise.all(work);
    },
  };
}

function resultOf(ended: ExecResult['ended'], exit: CommandExit, durationMs: number): ExecResult {
  const result: ExecResult = { ended, durationMs: Math.round(durationMs) };
  if (exit.signal !== undefined) result.signal = exit.signal;
  if (ended === 'exit' && exit.exitCode !== undefined) result.exitCode = exit.exitCode;
  return result;
}

const SIGNALS_OF_SHELL_CODES: Readonly<Record<number, string>> = {
  130: 'SIGINT',
  131: 'SIGQUIT',
  132: 'SIGILL',
  133: 'SIGTRAP',
  134: 'SIGABRT',
  135: 'SIGBUS',
  136: 'SIGFPE',
  137: 'SIGKILL',
  139: 'SIGSEGV',
  141: 'SIGPIPE',
  143: 'SIGTERM',
  159: 'SIGSYS',
};

/**
 * Decodes an exit code of bwrap or the container's shell, which report a death by signal as 128 + n. Codes that
 * programs use themselves, such as Git's 129 for wrong usage, stay exit codes.
 */
export function exitOfShellCode(code: number): CommandExit {
  const signal = SIGNALS_OF_SHELL_CODES[code];
  return signal === undefined ? { exitCode: code } : { signal };
}
