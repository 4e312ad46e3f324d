import { setTimeout as sleep } from 'node:timers/promises';
import { uptimeMs } from '../records/true-time.ts';
import type { FreezePlan } from './life-plan.ts';

/** The uptime with which the processes that are started next measure leases. */
export class LeaseClock {
  /** How far it is ahead of the machine's uptime. */
  aheadMs = 0;

  /** Lets time pass until a lease has expired: waits, or moves this clock. */
  async pass(expires: number, way: FreezePlan['lease']): Promise<void> {
    const leftMs = expires - (uptimeMs() + this.aheadMs) + 100;
    if (leftMs <= 0) return;
    if (way === 'moved') this.aheadMs += Math.ceil(leftMs);
    else await sleep(leftMs);
  }
}
