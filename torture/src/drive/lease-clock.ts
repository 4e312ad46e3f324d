import { setTimeout as sleep } from 'node:timers/promises';
import { AHEAD_VARIABLE } from '../agent/settings.ts';
import { uptimeMs } from '../records/true-time.ts';
import type { FreezePlan } from './life-plan.ts';

/** The uptime with which the processes of a session measure leases. */
export class LeaseClock {
  /** How far it is ahead of the machine's uptime. Processes that run already keep theirs. */
  aheadMs = 0;

  /** Environment of a process that sees this uptime. */
  get environment(): Readonly<Record<string, string>> {
    return { [AHEAD_VARIABLE]: String(this.aheadMs) };
  }

  /** Lets time pass until a lease has expired: waits, or moves this clock. */
  async pass(expires: number, way: FreezePlan['lease']): Promise<void> {
    const leftMs = expires - (uptimeMs() + this.aheadMs) + 100;
    if (leftMs <= 0) return;
    if (way === 'moved') this.aheadMs += Math.ceil(leftMs);
    else await sleep(leftMs);
  }
}
