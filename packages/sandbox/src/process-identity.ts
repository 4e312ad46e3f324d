import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Names a process so that it is not taken for a later one with the same number: `PID.START.BOOT.NAMESPACE`, the start time as
 * the kernel counts it, a piece of the boot id, and the pid namespace. Only letters, digits and dots, so that it fits into
 * names of files.
 */
export function ownerName(): string {
  return [process.pid, startTime(process.pid) ?? '0', bootName(), namespaceName()].join('.');
}

/** Whether the process of `ownerName` still lives. One that cannot be known counts as alive: better to leave than to kill. */
export function isOwnerAlive(owner: string): boolean {
  const [pidText, start, boot, namespace] = owner.split('.');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || namespace === undefined) return true;
  if (boot !== bootName()) return false;
  // Process numbers of another container mean nothing here.
  if (namespace !== namespaceName()) return true;
  // A zombie has the start time of the process it was, and does nothing any more.
  return process.platform === 'linux' ? startTime(pid) === start && isRunning(pid) : answersSignals(pid);
}

/** Start time of a process in clock ticks since boot, as text; undefined when it is gone, or where there is no /proc. */
export function startTime(pid: number): string | undefined {
  return statFields(pid)?.at(19);
}

/** Whether the process runs, or is stopped; a zombie does not. */
export function isRunning(pid: number): boolean {
  const state = statFields(pid)?.at(0);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** Fields of /proc/PID/stat from the state on; undefined when the process is gone. */
export function statFields(pid: number): string[] | undefined {
  const stat = readProc(`${pid}/stat`);
  // The name stands in brackets and may hold anything; what follows the last bracket is regular.
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A file below /proc, or undefined when the process is gone, hidden, or there is no /proc. */
export function readProc(path: string): string | undefined {
  try {
    return readFileSync(`/proc/${path}`, 'latin1');
  } catch {
    return undefined;
  }
}

/** What a link below /proc says, or undefined as with `readProc`. */
export function procLink(path: string): string | undefined {
  try {
    return readlinkSync(`/proc/${path}`);
  } catch {
    return undefined;
  }
}

/** Whether the process has one of these open, named as in /proc/PID/fd. */
export function hasOpen(pid: number, names: ReadonlySet<string>): boolean {
  let descriptors: string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return false;
  }
  return descriptors.some((fd) => names.has(procLink(`${pid}/fd/${fd}`) ?? ''));
}

function bootName(): string {
  return readProc('sys/kernel/random/boot_id')?.slice(0, 8) ?? 'unknown';
}

function namespaceName(): string {
  return procLink('self/ns/pid')?.replace(/\D/g, '') ?? '0';
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
