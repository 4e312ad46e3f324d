import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';

export interface LockHolder {
  pid: number;
  /** Name of the file it was started from. */
  program: string;
}

/**
 * Other processes that have a lock on the database or what stands beside it: in WAL mode, whoever has it open. Empty where there is no
 * /proc/locks, and for processes that cannot be seen from here.
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

/** The kernel's own name of a process is that of its first thread: `MainThread` for Node. */
function programOf(pid: number): string {
  const [file = ''] = readLines(`/proc/${pid}/cmdline`).join('\n').split('\0');
  return basename(file) || (readLines(`/proc/${pid}/comm`)[0] ?? '');
}

function inodeOf(file: string): string | undefined {
  return statSync(file, { bigint: true, throwIfNoEntry: false })?.ino.toString();
}

/** Another disk may have a file of the same number. */
function hasOpen(pid: number, files: readonly string[]): boolean {
  const folder = `/proc/${pid}/fd`;
  try {
    return readdirSync(folder).some((fd) => files.includes(linkOf(`${folder}/${fd}`) ?? ''));
  } catch {
    return true; // Of another user: its number has to do.
  }
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined; // Closed meanwhile.
  }
}

function readLines(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split('\n');
  } catch {
    return []; // Not Linux, or the process has ended.
  }
}
