import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { SharedFolder } from '@longhaul/core';
import { isRunning } from '@longhaul/core/host-processes';
import { LonghaulError } from '@longhaul/protocol';
import { newCommandMark } from '../command/command-mark.ts';
import { passGate, waitAtGate } from '../command/gate.ts';
import { findTree, killUntilGone, sendSignal } from '../command/process-tree.ts';
import { type SpawnedProcess, spawnProcess } from '../command/spawn-process.ts';
import { exitOfShellCode, type RunningCommand } from '../command/supervise-command.ts';
import { COMMAND_VARIABLE } from '../command-environment.ts';
import type { StartOptions } from '../create-sandbox.ts';
import { type RootFolder, replaced } from '../files/root-folder.ts';
import { withoutStartFile } from '../host-shell.ts';
import { placeOf, startTime } from '../process-identity.ts';
import { CONFINE_PATH, placeConfineProgram } from './confine-program.ts';

export interface BubblewrapCommand {
  /** The program, or words that start it in the network of earlier commands. */
  bwrap: readonly string[];
  /** Arguments of bwrap up to the command, environment included. */
  arguments: readonly string[];
  /** Where the workspace is inside, and which folder it must be. */
  workspace: { path: string; root: RootFolder };
  /** What is mounted in the workspace. */
  sharedFolders: readonly SharedFolder[];
  /** The seccomp filter. Undefined on an architecture without one. */
  filter: Buffer | undefined;
  /** The program that confines the command. Undefined if there is nothing to confine. */
  confine: Buffer | undefined;
  /** Folders of the sandbox's cgroup. Empty without a cgroup. */
  cgroups: readonly string[];
  /** Shell commands that set the limits of the process itself. */
  limitScript: string;
  shell: string;
  command: string;
  stdin?: string;
  keepsInput?: boolean;
  record: StartOptions['record'];
}

const INFO_FD = 3;
const READY_FD = 4;
const ARGUMENTS_FD = 5;
const FILTER_FD = 6;
const GATE_FD = 7;
const CONFINE_FD = 8;

/** The exit code of a command that has not started, because another folder is mounted than the workspace. */
const OTHER_FOLDER = 124;

// Waits until it is recorded, joins the cgroups whose files are named before the `--`, and becomes bwrap.
const JOIN_SCRIPT = `${waitAtGate(GATE_FD)} while [ "$1" != -- ]; do echo $$ >"$1" || exit 125; shift; done; shift; exec "$@"`;

/**
 * Starts a command in its own bubblewrap and settles when the command runs. The arguments go through a pipe: they
 * contain the environment, which may hold keys, and arguments are visible in the list of processes.
 *
 * @throws {LonghaulError} `sandbox_failed` with the output of bwrap.
 */
export async function startBubblewrap(request: BubblewrapCommand): Promise<RunningCommand> {
  const ready = `${requireFolder(request.workspace)} ${requireShared(request)} echo ready >&${READY_FD}; exec ${READY_FD}>&-; ${request.limitScript} exec "$0" ${withoutStartFile(request.shell).join(' ')} -c "$1"`;
  const shell = ['/bin/sh', '-c', ready, request.shell, request.command];
  const { confine } = request;
  const inner = confine === undefined ? shell : [CONFINE_PATH, ...shell];
  const descriptors = ['--info-fd', String(INFO_FD), '--args', String(ARGUMENTS_FD)];
  if (request.filter !== undefined) descriptors.push('--seccomp', String(FILTER_FD));
  const procsFiles = request.cgroups.map((folder) => join(folder, 'cgroup.procs'));
  const outer = [...procsFiles, '--', ...request.bwrap, ...descriptors, '--', ...inner];
  const mark = newCommandMark();
  const spawned = await spawnProcess('/bin/sh', ['-c', JOIN_SCRIPT, 'longhaul', ...outer], {
    // For finding bwrap itself: if we are killed before bwrap has bound its life to ours, it waits forever. The command
    // does not get this variable, because bwrap clears the environment.
    env: { [COMMAND_VARIABLE]: mark },
    extraPipes: confine === undefined ? 5 : 6,
    stdin: request.stdin,
    keepsInput: request.keepsInput,
  });
  const { record, cgroups } = request;
  const place = { driver: 'bubblewrap', ...placeOf(spawned.pid, mark) } as const;
  await passGate(spawned, GATE_FD, () => record(cgroups.length === 0 ? place : { ...place, cgroups }));
  const { child } = spawned;
  const pipes: readonly Pipe[] = child.stdio;
  const [infoPipe, readyPipe] = [pipes[INFO_FD], pipes[READY_FD]];
  const [argumentsPipe, filterPipe] = [pipes[ARGUMENTS_FD], pipes[FILTER_FD]];
  if (
    !isReadable(infoPipe) ||
    !isReadable(readyPipe) ||
    !isWritable(argumentsPipe) ||
    !isWritable(filterPipe)
  ) {
    throw new LonghaulError('internal', 'bubblewrap was started without its pipes.');
  }
  const placed = confine === undefined ? [] : placeConfineProgram(CONFINE_FD);
  give(argumentsPipe, [...request.arguments, ...placed].map((argument) => `${argument}\0`).join(''));
  give(filterPipe, request.filter ?? '');
  const confinePipe = pipes[CONFINE_FD];
  if (confine !== undefined && isWritable(confinePipe)) give(confinePipe, confine);
  const [info, isReady] = await Promise.all([text(infoPipe), text(readyPipe)]);
  if (isReady === '') throw await startFailure(spawned, request.workspace.root);
  const running = toRunningCommand(spawned, childPid(info));
  return request.keepsInput ? { ...running, input: child.stdin ?? undefined } : running;
}

/** Reads what bwrap writes to `--info-fd`. NaN if it says nothing of a process. */
export function childPid(info: string): number {
  return Number(/"child-pid": (\d+)/.exec(info)?.[1]);
}

/**
 * A shell script that ends if another folder is mounted. Between two commands, the path on this machine may have become
 * a link to another folder.
 */
function requireFolder({ path, root }: BubblewrapCommand['workspace']): string {
  return `[ ! -x /bin/ls ] || case " $(/bin/ls -di ${path})" in *" ${root.inode} ${path}") ;; *) exit ${OTHER_FOLDER};; esac;`;
}

/** A shell script that ends if other folders than the shared ones are mounted. Their names need no quotes. */
function requireShared({ workspace, sharedFolders }: BubblewrapCommand): string {
  if (sharedFolders.length === 0) return '';
  const paths = sharedFolders.map(({ to }) => `${workspace.path}/${to}`);
  const expected = sharedFolders.map(({ inode }, index) => `${inode} ${paths[index]}`).join(' ');
  const found = `$(echo $(LC_ALL=C /bin/ls -di ${paths.join(' ')}))`;
  return `[ ! -x /bin/ls ] || [ "${found}" = "${expected}" ] || exit ${OTHER_FOLDER};`;
}

type Pipe = Readable | Writable | null | undefined;
const isReadable = (pipe: Pipe): pipe is Readable => pipe instanceof Readable;
const isWritable = (pipe: Pipe): pipe is Writable => pipe instanceof Writable;

function give(pipe: Writable, data: Buffer | string): void {
  // bwrap may end before it reads. Its output is reported when the start fails.
  pipe.on('error', () => undefined);
  pipe.end(data);
}

function toRunningCommand({ outputs, exited }: SpawnedProcess, init: number): RunningCommand {
  const startedAt = startTime(init);
  // When the first process of a pid namespace ends, the kernel ends all others. The start time distinguishes it from a
  // later process with the same pid.
  const find = () => (isRunning(init) && startTime(init) === startedAt ? [init] : []);
  return {
    outputs,
    exited: exited.then((exit) => (exit.exitCode === undefined ? exit : exitOfShellCode(exit.exitCode))),
    terminate: () =>
      sendSignal(
        findTree((candidate) => candidate.parent === init, Number(startedAt ?? 0)),
        'SIGTERM',
      ),
    async destroy() {
      await killUntilGone(find);
      await exited;
    },
  };
}

async function startFailure({ outputs, exited }: SpawnedProcess, root: RootFolder): Promise<LonghaulError> {
  let said = '';
  for (const output of outputs) {
    for await (const { data } of output) said = (said + Buffer.from(data).toString()).slice(0, 2_000);
  }
  const { exitCode } = await exited;
  if (exitCode === OTHER_FOLDER) return replaced(root.path);
  return new LonghaulError(
    'sandbox_failed',
    `bubblewrap could not start the command (exit code ${exitCode ?? 'none'}): ${said.trim() || 'it printed nothing'}`,
  );
}
