import { readdirSync, readlinkSync } from 'node:fs';
import { currentOwner, isOwnerAlive as isProcessAlive, type ProcessPlace } from '@longhaul/core';
import { processStat } from '@longhaul/core/host-processes';

/** The part of a boot id that a name has room for. */
const BOOT_NAME_CHARS = 8;

/**
 * Returns a name for this process that no later process with the same pid gets: `PID.START.BOOT.NAMESPACE`. START is
 * the kernel's start time, BOOT the beginning of the boot id, NAMESPACE the pid namespace. Letters, digits and dots
 * only, so it can be part of a file name.
 */
export function ownerName(): string {
  const { pid, processStartedAt, bootId } = currentOwner();
  return [pid, processStartedAt, bootId.slice(0, BOOT_NAME_CHARS), pidNamespace()].join('.');
}

/**
 * Whether the process of an `ownerName` may still run. Counts as alive when it cannot be checked: a leftover is better
 * than a kill.
 */
export function isOwnerAlive(owner: string): boolean {
  const [pidText, processStartedAt = '', boot, namespace] = owner.split('.');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || namespace === undefined) return true;
  const current = currentOwner();
  if (boot !== current.bootId.slice(0, BOOT_NAME_CHARS)) return false;
  // Pids of another container mean nothing here.
  if (namespace !== pidNamespace()) return true;
  return isProcessAlive({ ...current, pid, processStartedAt });
}

/** This machine and its current boot. */
export function machineIdentity(): { host: string; bootId: string } {
  const { host, bootId } = currentOwner();
  return { host, bootId };
}

/** Where a command whose first process is `pid` can be found, except for its driver. */
export function placeOf(pid: number, mark: string): Omit<ProcessPlace, 'driver'> {
  const startedAt = startTime(pid) ?? 'unknown';
  return { ...machineIdentity(), mark, leader: { pid, startedAt, namespace: pidNamespace() } };
}

/** Start time of a process in clock ticks since boot, as text. Undefined if the process is gone, or without /proc. */
export function startTime(pid: number): string | undefined {
  return processStat(pid)?.startedAt;
}

/** Returns the target of a link below /proc. Undefined if the process is gone or hidden, or without /proc. */
export function procLink(path: string): string | undefined {
  try {
    return readlinkSync(`/proc/${path}`);
  } catch {
    return undefined;
  }
}

/** Whether the process has one of these files open; `names` as the links in /proc/PID/fd name them. */
export function hasOpen(pid: number, names: ReadonlySet<string>): boolean {
  let descriptors: string[];
  try {
    descriptors = readdirSync(`/proc/${pid}/fd`);
  } catch {
    return false;
  }
  return descriptors.some((fd) => names.has(procLink(`${pid}/fd/${fd}`) ?? ''));
}

/** Number of this process's pid namespace, or 0 without /proc. */
export function pidNamespace(): string {
  return procLink('self/ns/pid')?.replace(/\D/g, '') ?? '0';
}
