import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

export interface LockHolder {
  pid: number;
  /** Name of the executable file. */
  program: string;
}

/**
 * Returns other processes that hold a lock on the database, its log or its shared-memory file. In WAL mode these are
 * all processes that have it open. Returns none without /proc/locks, and omits processes that are not visible to this
 * one.
 */
export function lockHolders(path: string): LockHolder[] {
  const files = ['', '-wal', '-shm'].map((suffix) => resolve(path) + suffix);
  const inodes = new Set(files.flatMap((file) => inodeOf(file) ?? []));
  const pids = new Set<number>();
  // `1: POSIX ADVISORY WRITE 1234 fd:01:131090 120 120`. Source: Linux, Documentation/filesystems/locks.rst
  for (const line of readLines('/proc/locks')) {
    const [pid, inode] = /^\d+: \S+ +\S+ +\S+ (\d+) \w+:\w+:(\d+) /.exec(line)?.slice(1) ?? [];
    if (pid !== undefined && inode !== undefined && inodes.has(inode)) pids.add(Number(pid));
  }
  return [...pids]
    .filter((pid) => pid > 0 && pid !== process.pid && hasOpen(pid, files))
    .map((pid) => ({ pid, program: programOf(pid) }));
}

/** Prefers the command line, because the kernel's process name is that of the first thread: `MainThread` for Node. */
function programOf(pid: number): string {
  const [file = ''] = readLines(`/proc/${pid}/cmdline`).join('\n').split('\0');
  return basename(file) || (readLines(`/proc/${pid}/comm`)[0] ?? '');
}

function inodeOf(file: string): string | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

/** Checks the open files too, because a file on another disk may have the same inode number. */
function hasOpen(pid: number, files: readonly string[]): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => files.includes(linkOf(`${folder}/${fd}`) ?? ''));
  } catch {
    return true; // A process of another user: only the inode number can be checked.
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // The file was closed in the meantime.
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return []; // Not Linux, or the process has ended.
  }
}
