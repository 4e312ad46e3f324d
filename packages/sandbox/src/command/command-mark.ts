import { randomUUID } from 'node:crypto';
import { readProc } from '@longhaul/core/host-processes';
import { COMMAND_VARIABLE } from '../command-environment.ts';
import { isOwnerAlive, ownerName } from '../process-identity.ts';
import { killUntilGone, listPids } from './process-tree.ts';

/** Begins the marks of commands whose processes may outlive the process that started them. */
const KEPT = 'kept.';

/**
 * Returns a value of `COMMAND_VARIABLE` for one command. It names the process that starts the command.
 *
 * @param options.isKept The command's processes do not count as orphans if that process dies.
 */
export function newCommandMark({ isKept = false } = {}): string {
  return `${isKept ? KEPT : ''}${ownerName()}.${randomUUID()}`;
}

/** Whether the processes with this mark may outlive the process that started them. */
export function isKeptMark(mark: string): boolean {
  return mark.startsWith(KEPT);
}

/**
 * Returns variables for a program that must not outlive this process: `killOrphans` of a later one finds it by them.
 */
export function markedEnvironment(): Record<string, string> {
  return { [COMMAND_VARIABLE]: newCommandMark() };
}

/** Returns the mark that a process was started with. Undefined if it has none or cannot be read. */
export function markOf(pid: number): string | undefined {
  const prefix = `\0${COMMAND_VARIABLE}=`;
  const environment = `\0${readProc(`${pid}/environ`) ?? ''}\0`;
  const start = environment.indexOf(prefix);
  if (start === -1) return undefined;
  const from = start + prefix.length;
  return environment.slice(from, environment.indexOf('\0', from));
}

/**
 * Minimum time between two looks. Reading all processes takes some milliseconds: too long for each of hundreds of runs
 * that start at once.
 */
const LOOK_EVERY_MS = 1_000;

let lastLookAt = Number.NEGATIVE_INFINITY;
let isLookPlanned = false;

/**
 * Kills the commands that dead processes left running. Reads all processes at most once per `LOOK_EVERY_MS`. A call
 * within that time returns at once and plans one more look, which nobody waits for.
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
    // The next look finds what this one could not kill, and throws for it.
    look().catch(() => undefined);
  };
  setTimeout(lookAgain, waitMs).unref();
}

async function look(): Promise<void> {
  lastLookAt = performance.now();
  await killUntilGone(orphans);
}

function orphans(): number[] {
  // A zombie has no environment any more, so no mark.
  return listPids().filter((pid) => {
    const mark = markOf(pid);
    return mark !== undefined && !isKeptMark(mark) && !isOwnerAlive(mark);
  });
}
