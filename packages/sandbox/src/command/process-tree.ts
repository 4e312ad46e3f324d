import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processStat } from '@longhaul/core/host-processes';
import { findHostProgram } from '@longhaul/core/host-programs';
import { LonghaulError } from '@longhaul/protocol';

export interface ProcessInfo {
  pid: number;
  parent: number;
  /** The session. Without /proc, the process group: the closest that `ps` reports on every system. */
  session: number;
  /** In clock ticks since boot; 0 without /proc. */
  startedAt: number;
}

const KILL_DEADLINE_MS = 5_000;

/**
 * Kills what `find` returns until it returns nothing. It repeats because a tree can grow while it is killed.
 *
 * @throws {LonghaulError} `sandbox_failed` if a process cannot be killed within 5 seconds, such as one of another user.
 */
export async function killUntilGone(find: () => readonly number[]): Promise<void> {
  const deadline = performance.now() + KILL_DEADLINE_MS;
  for (let delayMs = 1; ; delayMs = Math.min(delayMs * 2, 20)) {
    const pids = find();
    if (pids.length === 0) return;
    sendSignal(pids, 'SIGKILL');
    if (performance.now() > deadline) {
      throw new LonghaulError(
        'sandbox_failed',
        `Processes that a command left running could not be killed: ${pids.join(', ')}. End them yourself.`,
      );
    }
    await sleep(delayMs);
  }
}

/** Sends a signal to each process. Skips processes that are gone or belong to another user. */
export function sendSignal(pids: readonly number[], signal: 'SIGSTOP' | 'SIGTERM' | 'SIGKILL'): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      if (code !== 'ESRCH' && code !== 'EPERM') throw error;
    }
  }
}

/**
 * Returns the processes that `isMember` accepts and all their descendants. Leaves out this process, and processes that
 * started before `since`: the system reuses pids.
 */
export function findTree(
  isMember: (candidate: ProcessInfo) => boolean,
  since = 0,
  all: readonly ProcessInfo[] = listProcesses(),
): number[] {
  const processes = all.filter(({ pid, startedAt }) => pid !== process.pid && startedAt >= since);
  const tree = new Set(processes.filter(isMember).map(({ pid }) => pid));
  for (let size = -1; size !== tree.size; ) {
    size = tree.size;
    for (const { pid, parent } of processes) if (tree.has(parent)) tree.add(pid);
  }
  return [...tree];
}

/** Returns all processes except zombies. */
export function listProcesses(): ProcessInfo[] {
  return process.platform === 'linux' ? fromProc() : fromPs();
}

/** Returns the pids of all processes. On Linux, zombies are among them. */
export function listPids(): number[] {
  return process.platform === 'linux' ? pidsOfProc() : fromPs().map(({ pid }) => pid);
}

function pidsOfProc(): number[] {
  return readdirSync('/proc').map(Number).filter(Number.isInteger);
}

function fromProc(): ProcessInfo[] {
  const processes: ProcessInfo[] = [];
  for (const pid of pidsOfProc()) {
    const stat = processStat(pid);
    if (stat === undefined || stat.state === 'Z' || stat.state === 'X') continue;
    processes.push({ pid, parent: stat.parent, session: stat.session, startedAt: Number(stat.startedAt) });
  }
  return processes;
}

function fromPs(): ProcessInfo[] {
  const table = execFileSync(findHostProgram('ps') ?? '/bin/ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat='], {
    encoding: 'utf8',
  });
  return table
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([pid, , , state]) => pid !== '' && !state?.startsWith('Z'))
    .map(([pid, parent, group]) => ({
      pid: Number(pid),
      parent: Number(parent),
      session: Number(group),
      startedAt: 0,
    }));
}
