import { v7 } from 'uuid';

/** A new UUIDv7: ids ascend with time, also within a millisecond of one process. */
export function newId(): string {
  return v7();
}

const HOLD = 'hold-';

/** The id of work between runs, which holds the session as a run does but is none: it has no `run:started`, no `run:finished`. */
export function newHoldId(): string {
  return HOLD + newId();
}

export function isHoldId(runId: string): boolean {
  return runId.startsWith(HOLD);
}
