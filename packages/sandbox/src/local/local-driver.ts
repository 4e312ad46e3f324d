import { delimiter, resolve } from 'node:path';
import type { Sandbox, SandboxDriver, SandboxOptions } from '@longhaul/core';
import { killOrphans, markOf, newCommandMark } from '../command/command-mark.ts';
import { endProcesses, outOfReach } from '../command/end-processes.ts';
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
import { COMMAND_VARIABLE, commandEnvironment } from '../command-environment.ts';
import { createSandbox, type StartOptions } from '../create-sandbox.ts';
import { createMachineFiles } from '../files/machine-files.ts';
import { createWorkspaceFiles } from '../files/workspace-files.ts';
import { hostShell, withoutStartFile } from '../host-shell.ts';
import { openWorkspace } from '../open-workspace.ts';
import { hasOpen, placeOf, startTime } from '../process-identity.ts';
import { followKept, startKept } from './kept-command.ts';
import { removeKeptOutput } from './kept-output.ts';

/** Variables of our own environment that commands get. */
const PASSED_ON = ['HOME', 'USER', 'LOGNAME', 'TMPDIR', 'TZ'];

/** Runs commands on this machine as the current user, without isolation. Only by explicit choice. */
export function createLocalDriver(): SandboxDriver {
  return {
    kind: 'local',
    async probe() {
      if (process.platform === 'win32') {
        return { available: false, reason: 'It needs a POSIX shell.', remedy: 'Use WSL.' };
      }
      return { available: true, detail: 'no isolation: commands run on this machine as you', gaps: [] };
    },
    open: openLocal,
    end: async (place) => {
      const ending = outOfReach(place) ?? (await endProcesses(place));
      if (ending.ended !== 'unknown') await removeKeptOutput(place.mark);
      return ending;
    },
  };
}

async function openLocal(options: SandboxOptions): Promise<Sandbox> {
  const root = await openWorkspace(options);
  const environment = commandEnvironment(localEnvironment(options.programFolders), options);
  const shell = hostShell();
  await killOrphans();
  return createSandbox({
    kind: 'local',
    workspacePath: root.path,
    description: 'local, no isolation, network as on this machine',
    platform: shell.platform,
    rules: {
      files: 'absolute paths outside it work too',
      processes: `processes that a command leaves running live ${options.keepProcesses ? 'on after the run' : 'until the run ends'}`,
    },
    files: createWorkspaceFiles(root, root.path),
    toolFiles: createMachineFiles(
      root,
      options.refusedPaths ?? [],
      options.isCopy === true ? root.path : undefined,
    ),
    recordProcess: options.recordProcess,
    start: async (command, { cwd, ...rest }) => {
      root.requireInPlace();
      return startLocal([shell.path, ...withoutStartFile(shell.path), '-c', command], {
        ...rest,
        cwd: resolve(root.path, cwd),
        env: environment,
        isKept: options.keepProcesses ?? false,
      });
    },
    kept: {
      start: async (command, { cwd, record }) => {
        root.requireInPlace();
        const words = [shell.path, ...withoutStartFile(shell.path), '-c', command];
        return startKept(words, { cwd: resolve(root.path, cwd), env: environment, record });
      },
      follow: followKept,
    },
    keepsProcesses: () => options.keepProcesses === true && options.signal?.aborted !== true,
    cleanUp: async () => undefined,
  });
}

const GATE_FD = 3;
// Becomes the command that the arguments name, once it is recorded.
const GATED_SCRIPT = `${waitAtGate(GATE_FD)} exec "$@"`;

async function startLocal(
  command: readonly string[],
  { record, isKept, ...options }: StartOptions & { env: Record<string, string>; isKept: boolean },
): Promise<RunningCommand> {
  const mark = newCommandMark({ isKept });
  const spawned = await spawnProcess('/bin/sh', ['-c', GATED_SCRIPT, 'longhaul', ...command], {
    ...options,
    env: { ...options.env, [COMMAND_VARIABLE]: mark },
    extraPipes: 1,
  });
  await passGate(spawned, GATE_FD, () => record({ driver: 'local', ...placeOf(spawned.pid, mark) }));
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

function localEnvironment(programFolders: readonly string[]): Record<string, string> {
  // The machine's own programs come first: the project may need another version of Node than ours.
  const path = [process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin', ...programFolders].join(delimiter);
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  return { ...Object.fromEntries(passedOn), PATH: path };
}
