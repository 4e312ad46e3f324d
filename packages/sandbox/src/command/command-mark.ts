import { randomUUID } from 'node:crypto';
import { COMMAND_VARIABLE } from '../command-environment.ts';
import { isOwnerAlive, ownerName, readProc } from '../process-identity.ts';
import { killUntilGone, listProcesses } from './process-tree.ts';

/** A value of `COMMAND_VARIABLE` for one command: it names the process that starts it. */
export function newCommandMark(): string {
  return `${ownerName()}.${randomUUID()}`;
}

/** The mark that a process was started with; undefined when it has none, or cannot be looked at. */
export function markOf(pid: number): string | undefined {
  const prefix = `${COMMAND_VARIABLE}=`;
  return readProc(`${pid}/environ`)
    ?.split('\0')
    .find((entry) => entry.startsWith(prefix))
    ?.slice(prefix.length);
}

/** Kills what commands of processes left behind that died before they could. */
export async function killOrphans(): Promise<void> {
  const orphans = () =>
    listProcesses()
      .map(({ pid }) => pid)
      .filter((pid) => {
        const mark = markOf(pid);
        return mark !== undefined && !isOwnerAlive(mark);
      });
  await killUntilGone(orphans);
}
