import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Claimant, LeaseOwner } from '../../ports/index.ts';

/** This process, told apart from any other that ever had its pid. */
export function currentOwner(): LeaseOwner {
  return {
    host: hostname(),
    bootId: bootId(),
    pid: process.pid,
    processStartedAt: startTime(process.pid) ?? 'unknown',
  };
}

/** This process, as one that asks for a session. */
export function currentClaimant(): Claimant {
  return { owner: currentOwner(), isAlive: isOwnerAlive };
}

/**
 * Whether an owner may still be running. On this host and boot that is certain; of another host nothing is known, so it counts as alive until
 * its lease expires.
 */
export function isOwnerAlive(owner: LeaseOwner): boolean {
  if (owner.host !== hostname()) return true;
  if (owner.bootId !== bootId()) return false;
  const started = startTime(owner.pid);
  if (started !== undefined) return owner.processStartedAt === started;
  const hasProc = startTime(process.pid) !== undefined;
  return !hasProc && processExists(owner.pid);
}

function bootId(): string {
  return readOptional('/proc/sys/kernel/random/boot_id')?.trim() ?? 'unknown';
}

/** Field 22 of /proc/PID/stat, in clock ticks since boot. Undefined where there is no such process, or no /proc; a zombie is none. */
function startTime(pid: number): string | undefined {
  const stat = readOptional(`/proc/${pid}/stat`);
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields?.[0] === 'Z' || fields?.[0] === 'X' ? undefined : fields?.[19];
}

function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function readOptional(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not Linux, or no such process: the callers say what that means.
    return undefined;
  }
}
