import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface SignalPipe {
  readFd: number;
  writeFd: number;
  /** Shows whether the descriptors still belong to this pipe. */
  inode: number;
}

const ACCESS = 0o3;
const WRITES = 0o1;
const NONBLOCKING = 0o4000;

/**
 * Finds the pipes through which libuv passes signals to event loops: non-blocking, with both ends in this process.
 * Empty without /proc, under Bun, which has no libuv, and before the first signal handler is installed.
 */
export function findSignalPipes(): SignalPipe[] {
  if (process.versions['bun'] !== undefined) return [];
  const ends = new Map<string, { reads: number[]; writes: number[] }>();
  for (const name of listDescriptors()) {
    const found = describe(name);
    if (found === undefined || (found.flags & NONBLOCKING) === 0) continue;
    const both = ends.get(found.pipe) ?? { reads: [], writes: [] };
    ends.set(found.pipe, both);
    ((found.flags & ACCESS) === WRITES ? both.writes : both.reads).push(Number(name));
  }
  return [...ends].flatMap(
    ([
      pipe,
      {
        reads: [readFd],
        writes: [writeFd],
      },
    ]) => (readFd === undefined || writeFd === undefined ? [] : [{ readFd, writeFd, inode: inodeOf(pipe) }]),
  );
}

/** @param pipe Such as `pipe:[4711]`. */
function inodeOf(pipe: string): number {
  return Number(pipe.replace(/\D/g, ''));
}

function listDescriptors(): string[] {
  try {
    return readdirSync('/proc/self/fd');
  } catch {
    // Not Linux.
    return [];
  }
}

function describe(fd: string): { pipe: string; flags: number } | undefined {
  try {
    const pipe = readlinkSync(`/proc/self/fd/${fd}`);
    if (!pipe.startsWith('pipe:')) return undefined;
    const info = readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8');
    return { pipe, flags: Number.parseInt(/^flags:\s*([0-7]+)$/m.exec(info)?.[1] ?? '0', 8) };
  } catch {
    // Closed since it was listed, such as the descriptor of the list itself.
    return undefined;
  }
}
