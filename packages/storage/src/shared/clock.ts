import type { Claimant, LeaseOwner } from '@longhaul/core';

/** What a store measures leases by. */
export interface Clock {
  /** Milliseconds since 1970. Anyone may set it, also back. */
  now: () => number;
  /** Milliseconds since the machine started, the same in all its processes. */
  uptime: () => number;
}

/** The kernel's monotonic clock. It stands still while the machine sleeps, as the timers that renew leases do. */
export function machineUptime(): number {
  return Number(process.hrtime.bigint() / 1_000_000n);
}

/** When a lease ends, on both clocks. */
export interface Expiry {
  expiresAt: number;
  expiresUptime: number;
}

export function expiryAfter(ttlMs: number, { now, uptime }: Clock): Expiry {
  return { expiresAt: now() + ttlMs, expiresUptime: uptime() + ttlMs };
}

/** Whether a holder must be left alone. Uptimes compare within one boot; else only the clocks are left. */
export function isHeld(
  holder: { owner: LeaseOwner } & Expiry,
  { owner, isAlive }: Claimant,
  clock: Clock,
): boolean {
  const sameBoot = holder.owner.host === owner.host && holder.owner.bootId === owner.bootId;
  const isFresh = sameBoot ? holder.expiresUptime > clock.uptime() : holder.expiresAt > clock.now();
  return isFresh && isAlive(holder.owner);
}
