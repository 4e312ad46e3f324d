import type { SandboxKind } from '@longhaul/core';
import { markOf, newCommandMark } from '../command/command-mark.ts';
import { passGate, waitAtGate } from '../command/gate.ts';
import {
  findTree,
  killUntilGone,
  listProcesses,
  type ProcessInfo,
  sendSignal,
} from '../command/process-tree.ts';
import { type SpawnedProcess, spawnProcess } from '../command/spawn-process.ts';
import type { RunningCommand } from '../command/supervise-command.ts';
import { COMMAND_VARIABLE } from '../command-environment.ts';
import type { StartOptions } from '../create-sandbox.ts';
import { hasOpen, placeOf, startTime } from '../process-identity.ts';

const GATE_FD = 3;
// Becomes the command that the arguments name, once it is recorded.
const GATED_SCRIPT = `${waitAtGate(GATE_FD)} exec "$@"`;

export interface StartLocalOptions extends StartOptions {
  env: Record<string, string>;
  isKept: boolean;
  /** The driver that ends the command. */
  driver: SandboxKind;
}

/** Starts a program on this machine, and finds all processes that come from it. */
export async function startLocal(
  command: readonly string[],
  { record, isKept, driver, ...options }: StartLocalOptions,
): Promise<RunningCommand> {
  const mark = newCommandMark({ isKept });
  const spawned = await spawnProcess('/bin/sh', ['-c', GATED_SCRIPT, 'longhaul', ...command], {
    ...options,
    env: { ...options.env, [COMMAND_VARIABLE]: mark },
    extraPipes: 1,
  });
  await passGate(spawned, GATE_FD, () => record({ driver, ...placeOf(spawned.pid, mark) }));
  const find = createFinder(spawned, mark);
  return {
    input: options.keepsInput ? (spawned.child.stdin ?? undefined) : undefined,
    outputs: spawned.outputs,
    exited: spawned.exited,
    terminate: () => sendSignal(find(), 'SIGTERM'),
    async destroy() {
      await killUntilGone(find);
      await spawned.release();
    },
    countRunning: () => find().length,
    abandon: () => spawned.handOver(),
  };
}

/**
 * Returns a function that finds the processes of a command, also long after its first process has ended. Each look
 * remembers what it has found.
 */
function createFinder(spawned: SpawnedProcess, mark: string): () => number[] {
  const since = Number(startTime(spawned.pid) ?? 0);
  let known: ReadonlyMap<number, ProcessInfo> | undefined;
  const isKnown = ({ pid, startedAt }: ProcessInfo) => known?.get(pid)?.startedAt === startedAt;
  return () => {
    const processes = listProcesses();
    // The system gives a session's number to a later one only when all processes of the session have ended.
    const hasSession =
      known === undefined || processes.some((each) => each.session === spawned.pid && isKnown(each));
    const isMember = (candidate: ProcessInfo) =>
      (candidate.startedAt > 0 && isKnown(candidate)) ||
      isOfCommand(candidate, spawned, { mark, hasSession });
    const found = new Set(findTree(isMember, since, processes));
    known = new Map(processes.filter(({ pid }) => found.has(pid)).map((each) => [each.pid, each]));
    return [...found];
  };
}

/**
 * Whether a process belongs to a command. The command leads its own session. A process that has left the session still
 * has the mark, or descends from one that has. A process that has also cleared its environment may still hold the
 * command's output. One that has left all of these is out of reach.
 */
function isOfCommand(
  { pid, session }: ProcessInfo,
  spawned: SpawnedProcess,
  { mark, hasSession }: { mark: string; hasSession: boolean },
): boolean {
  if (hasSession && session === spawned.pid) return true;
  const found = markOf(pid);
  return found === undefined ? hasOpen(pid, spawned.outputNames) : found === mark;
}
