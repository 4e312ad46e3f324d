import { readFileSync } from 'node:fs';

/** Whether SIGSTOP has stopped a process. */
export function isStopped(pid: number | undefined): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat[stat.lastIndexOf(')') + 2] === 'T';
  } catch {
    // It has ended.
    return false;
  }
}
