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

/** Looking through all processes takes some milliseconds: too long for each of hundreds of runs that begin at once. */
const LOOK_EVERY_MS = 1_000;

let lastLookAt = Number.NEGATIVE_INFINITY;
let isLookPlanned = false;

/**
 * Kills what commands of processes left behind that died before they could. Where it was looked for just now, it is looked for once
 * more in a moment, and nobody waits for that.
 */
export async function killOrphans(): Promise<void> {
  const waitMs = lastLookAt + LOOK_EVERY_MS - performance.now();
  if (waitMs <= 0) {
    await look();
    return;
  }
  if (isLookPlanned) return;
  isLookPlanned = true;
  const lookAgain = () => {
    isLookPlanned = false;
    // What cannot be killed is met again, and told, by the next one who looks.
    look().catch(() => undefined);
  };
  setTimeout(lookAgain, waitMs).unref();
}

async function look(): Promise<void> {
  lastLookAt = performance.now();
  await killUntilGone(orphans);
}

function orphans(): number[] {
  return listProcesses()
    .map(({ pid }) => pid)
    .filter((pid) => {
      const mark = markOf(pid);
      return mark !== undefined && !isOwnerAlive(mark);
    });
}
