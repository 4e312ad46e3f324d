import { mkdir } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecResult, ProcessOptions, ProcessPlace, SandboxProcess } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { markOf, newCommandMark } from '../command/command-mark.ts';
import { endProcesses, outOfReach } from '../command/end-processes.ts';
import { passGate, waitAtGate } from '../command/gate.ts';
import { findTree, sendSignal } from '../command/process-tree.ts';
import { spawnProcess } from '../command/spawn-process.ts';
import { COMMAND_VARIABLE } from '../command-environment.ts';
import { placeOf, startTime } from '../process-identity.ts';
import { copyArguments, KeptOutput, keptFolder } from './kept-output.ts';

const GATE_FD = 3;
const POLL_MS = 100;
/** How long a command may run after SIGTERM before it gets SIGKILL. */
const TERMINATE_GRACE_MS = 1_000;

// $1: the folder. $2 to $4: the program that keeps the output. Then the command. In `/`, Bun finds no settings of a
// project. BUN_BE_BUN lets a single file that contains Longhaul and Bun run another program.
const KEPT_SCRIPT = `${waitAtGate(GATE_FD)} exec >/dev/null 2>&1 </dev/null
out=$1 node=$2 flag=$3 program=$4; shift 4
{ "$@" 2>&1; echo $? >"$out/exit.new"; mv "$out/exit.new" "$out/exit"; } | {
cd /; BUN_BE_BUN=1 exec "$node" "$flag" "$program" "$out"; }`;

export interface KeptStart {
  cwd: string;
  env: Readonly<Record<string, string>>;
  record: (place: ProcessPlace) => Promise<void>;
}

/** Starts a command that outlives this process. Its input is empty, and its output is kept in files. */
export async function startKept(
  command: readonly string[],
  { cwd, env, record }: KeptStart,
): Promise<ProcessPlace> {
  const mark = newCommandMark({ isKept: true });
  const folder = await keptFolder(mark);
  await mkdir(folder, { mode: 0o700 });
  const [flag = '', program = ''] = copyArguments(folder);
  const words = [folder, process.execPath, flag, program, ...command];
  const spawned = await spawnProcess('/bin/sh', ['-c', KEPT_SCRIPT, 'longhaul', ...words], {
    cwd,
    env: { ...env, [COMMAND_VARIABLE]: mark },
    extraPipes: 1,
  });
  const place: ProcessPlace = { driver: 'local', ...placeOf(spawned.pid, mark) };
  await passGate(spawned, GATE_FD, () => record(place));
  spawned.child.unref();
  return place;
}

/**
 * Follows a kept command that this process, or one before it, has started. Returns undefined if it has ended and its
 * output is gone, or if this process cannot see it.
 */
export async function followKept(
  place: ProcessPlace,
  { onOutput, signal }: Pick<ProcessOptions, 'onOutput'> & { signal: AbortSignal },
): Promise<SandboxProcess | undefined> {
  if (outOfReach(place) !== undefined) return undefined;
  const output = new KeptOutput(await keptFolder(place.mark));
  if (!isAlive(place) && !output.exists) return undefined;
  const startedAt = performance.now();
  let isStopped = false;
  const follow = async (): Promise<ExecResult> => {
    for (;;) {
      const isOver = !isAlive(place) || (await output.exitCode()) !== undefined;
      await output.read((data) => onOutput(data, 'stdout'));
      if (isOver) break;
      await sleep(POLL_MS, undefined, { ref: false, signal });
    }
    // What the command has left running ends with it.
    await endProcesses(place);
    const exitCode = isStopped ? undefined : await output.exitCode();
    await output.remove();
    const durationMs = Math.round(performance.now() - startedAt);
    return { ended: isStopped ? 'aborted' : 'exit', durationMs, ...(exitCode !== undefined && { exitCode }) };
  };
  const ending = follow();
  // What ended before is read completely at once.
  if (!isAlive(place)) await ending;
  const ended = untilAborted(ending, signal);
  return {
    write() {
      throw new LonghaulError('invalid_request', 'A command that is kept takes no input.');
    },
    closeInput: () => undefined,
    async stop() {
      isStopped = true;
      await endKept(place);
      return await ended;
    },
    ended,
  };
}

/** Ends a kept command, and gives it a second to clean up. */
async function endKept(place: ProcessPlace): Promise<void> {
  const members = findTree(({ pid }) => markOf(pid) === place.mark, Number(place.leader?.startedAt ?? 0));
  sendSignal(members, 'SIGTERM');
  const deadline = performance.now() + TERMINATE_GRACE_MS;
  while (isAlive(place) && performance.now() < deadline) await sleep(POLL_MS / 4);
  await endProcesses(place);
}

function isAlive({ leader }: ProcessPlace): boolean {
  return leader !== undefined && startTime(leader.pid) === leader.startedAt;
}

/** When the sandbox is closed, nobody follows the command any more: the result never settles then. */
function untilAborted(work: Promise<ExecResult>, signal: AbortSignal): Promise<ExecResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecResult>();
  work.then(resolve, (error: unknown) => {
    if (!signal.aborted) reject(error);
  });
  promise.catch(() => undefined);
  return promise;
}
