import { closeSync, openSync, readSync } from 'node:fs';

/** What Linux reports about a process. */
export interface ProcessStat {
  /** `Z` for a zombie, `X` for a dead process, another letter for one that runs or is stopped. */
  state: string;
  parent: number;
  session: number;
  /** In clock ticks since boot, as text. */
  startedAt: string;
}

/** For all files: `readFileSync` takes 64 KB for each file that has no size, as those of /proc. */
let buffer = Buffer.alloc(0);

/** Reads a file below /proc as Latin-1. Undefined if the process is gone or hidden, or without /proc. */
export function readProc(path: string): string | undefined {
  let file: number;
  try {
    file = openSync(`/proc/${path}`, 'r');
  } catch {
    return undefined;
  }
  try {
    return readWhole(file);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function readWhole(file: number): string {
  for (let length = 0; ; ) {
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(Math.max(length, 16_384))]);
    const read = readSync(file, buffer, length, buffer.length - length, null);
    if (read === 0) return buffer.toString('latin1', 0, length);
    length += read;
  }
}

/** Reads /proc/PID/stat. Undefined if the process is gone or hidden, or without /proc. */
export function processStat(pid: number): ProcessStat | undefined {
  // The program's name is in brackets and can contain any character; the fields after the last bracket are regular.
  const stat = readProc(`${pid}/stat`);
  const [state, parent, , session, ...rest] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const startedAt = rest[15];
  if (state === undefined || startedAt === undefined) return undefined;
  return { state, parent: Number(parent), session: Number(session), startedAt };
}

/**
 * Whether a process with this pid runs or is stopped, of any user. A zombie does neither: it has ended, and its parent
 * has not noticed yet. Without /proc, a zombie counts as running.
 */
export function isRunning(pid: number): boolean {
  const state = processStat(pid)?.state;
  if (state !== undefined) return state !== 'Z' && state !== 'X';
  return !hasProc() && processExists(pid);
}

/** Whether a process with this pid exists, of any user. A zombie counts. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function hasProc(): boolean {
  return processStat(process.pid) !== undefined;
}
