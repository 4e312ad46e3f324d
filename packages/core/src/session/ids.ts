import { v7 } from 'uuid';

/** Returns a new UUIDv7. Ids of one process ascend, even within a millisecond. */
export function newId(): string {
  return v7();
}

const HOLD = 'hold-';

/**
 * Returns an id for work between runs. Such work holds the lease like a run, but has no `run:started` and no
 * `run:finished`.
 */
export function newHoldId(): string {
  return HOLD + newId();
}

/** Returns whether an id is that of work between runs, in place of a run. */
export function isHoldId(runId: string): boolean {
  return runId.startsWith(HOLD);
}
