import { setTimeout as sleep } from 'node:timers/promises';
import { isConflict, isLost } from './postgres-errors.ts';

/** A server that cannot be reached is tried again after these pauses. */
const PAUSES_MS = [20, 100, 300, 1_000, 2_000, 4_000];

/** Repeats what is safe to repeat, after a conflict with another transaction and after a lost connection. */
export async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await run();
    } catch (error) {
      if (!isConflict(error) && !isLost(error)) throw error;
      await sleep(pause);
    }
  }
  return run();
}
