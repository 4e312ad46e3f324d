import { setTimeout as sleep } from 'node:timers/promises';
import type { ProcessEnding, ProcessPlace } from '@longhaul/core';
import { processExists } from '@longhaul/core/host-processes';
import { toLonghaulError } from '@longhaul/protocol';
import { machineIdentity, pidNamespace, startTime } from '../process-identity.ts';
import { markOf } from './command-mark.ts';
import { findTree, killUntilGone, listProcesses, type ProcessInfo, sendSignal } from './process-tree.ts';

/** Passes of stopping a tree that grows. Each pass stops what the passes before have not seen. */
const MAX_STOP_PASSES = 50;

/**
 * Returns why the processes of a place cannot be checked from here, or that they are gone because the machine was
 * restarted. Undefined if they can be checked.
 */
export function outOfReach({ host, bootId, leader }: ProcessPlace): ProcessEnding | undefined {
  const here = machineIdentity();
  if (host !== here.host) return { ended: 'unknown', reason: `it was started on another machine, ${host}` };
  if (bootId !== here.bootId) return { ended: 'gone' };
  if (leader !== undefined && leader.namespace !== pidNamespace())
    return { ended: 'unknown', reason: `it was started in another container of ${host}` };
  return undefined;
}

/** Ends the processes of a command that this process did not start: stops all of them, then kills them. */
export async function endProcesses(place: ProcessPlace): Promise<ProcessEnding> {
  const { leader } = place;
  if (leader === undefined) return { ended: 'unknown', reason: 'its process was not recorded' };
  if (startTime(process.pid) === undefined) return withoutProc(leader.pid);
  const find = () => findTree((candidate) => isOfPlace(candidate, place), Number(leader.startedAt));
  try {
    const isFound = await stopTree(find);
    await killUntilGone(find);
    return suspectsOf(place) ?? { ended: isFound ? 'killed' : 'gone' };
  } catch (error) {
    return { ended: 'unknown', reason: toLonghaulError(error).message };
  }
}

/**
 * Whether a process belongs to the command: it has the command's mark, or it is in the session of the command's first
 * process while that one lives. The system reuses pids, so a session whose first process is gone proves nothing.
 */
function isOfPlace({ pid, session }: ProcessInfo, { mark, leader }: ProcessPlace): boolean {
  if (markOf(pid) === mark) return true;
  return leader !== undefined && session === leader.pid && startTime(leader.pid) === leader.startedAt;
}

/** Returns processes without a readable mark in the session of a command whose first process is gone. */
function suspectsOf({ leader }: ProcessPlace): ProcessEnding | undefined {
  if (leader === undefined || processExists(leader.pid)) return undefined;
  const pids = listProcesses()
    .filter(({ session, startedAt }) => session === leader.pid && startedAt >= Number(leader.startedAt))
    .map(({ pid }) => pid)
    .filter((pid) => markOf(pid) === undefined);
  if (pids.length === 0) return undefined;
  return { ended: 'unknown', reason: `these processes may belong to it: ${pids.join(', ')}` };
}

/** Stops processes until no new one appears, so that the tree cannot grow while it is killed. */
async function stopTree(find: () => readonly number[]): Promise<boolean> {
  const stopped = new Set<number>();
  for (let pass = 0; pass < MAX_STOP_PASSES; pass += 1) {
    const fresh = find().filter((pid) => !stopped.has(pid));
    if (fresh.length === 0) break;
    sendSignal(fresh, 'SIGSTOP');
    for (const pid of fresh) stopped.add(pid);
    await sleep(1);
  }
  return stopped.size > 0;
}

/** Without /proc, a pid says only that some process exists. */
function withoutProc(pid: number): ProcessEnding {
  if (!processExists(pid)) return { ended: 'gone' };
  return {
    ended: 'unknown',
    reason: `process ${pid} exists, and this system cannot say whether it is the same`,
  };
}
