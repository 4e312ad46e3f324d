import type { Claimant, LeaseOwner } from '@longhaul/core';

/** The clocks that a store uses to measure leases. */
export interface Clock {
  /** Milliseconds since 1970. This clock can be set, also backwards. */
  now: () => number;
  /** Milliseconds since the machine started. All processes on the machine see the same value. */
  uptime: () => number;
}

/** When a lease expires, on both clocks. */
export interface Expiry {
  expiresAt: number;
  expiresUptime: number;
}

export function expiryAfter(ttlMs: number, { now, uptime }: Clock): Expiry {
  return { expiresAt: now() + ttlMs, expiresUptime: uptime() + ttlMs };
}

/**
 * Whether the lease has not expired and its owner is alive. Compares uptimes within one boot, otherwise wall clocks.
 */
export function isHeld(
  holder: { owner: LeaseOwner } & Expiry,
  { owner, isAlive }: Claimant,
  clock: Clock,
): boolean {
  const sameBoot = holder.owner.host === owner.host && holder.owner.bootId === owner.bootId;
  const isFresh = sameBoot ? holder.expiresUptime > clock.uptime() : holder.expiresAt > clock.now();
  return isFresh && isAlive(holder.owner);
}
