import { hostname } from 'node:os';
import { processExists, processStat, readProc } from '../../host-processes.ts';
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
 * Whether an owner may still be running. On this host and boot that is certain; of another host nothing is known, so it
 * counts as alive until its lease expires.
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
  return readProc('sys/kernel/random/boot_id')?.trim() ?? 'unknown';
}

/**
 * In clock ticks since boot. Undefined without such a process or without /proc; a zombie does not count as a process.
 */
function startTime(pid: number): string | undefined {
  const stat = processStat(pid);
  return stat === undefined || stat.state === 'Z' || stat.state === 'X' ? undefined : stat.startedAt;
}
