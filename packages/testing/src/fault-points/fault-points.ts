/**
 * Moments between the effects of a run at which a test can end its process. `…-before-commit`: everything is prepared, nothing is stored.
 * `…-committed`: it is on disk, and nobody has been told.
 */
export const FAULT_POINTS = [
  /** Inside the transaction of any write. */
  'transaction-open',
  'enqueue-before-commit',
  'enqueue-committed',
  'lease-committed',
  /** Inside the transaction that takes what waits and appends it. */
  'queue-taking',
  'queue-taken',
  'message-before-commit',
  'message-committed',
  /** A piece of streamed text or reasoning. */
  'text-before-commit',
  'text-committed',
  'call-before-commit',
  /** The call is on disk, its tool has not been started. */
  'call-committed',
  'start-committed',
  /** The tool's code is about to run. */
  'tool-started',
  /** The side effect has happened; its result is known to the process alone. */
  'tool-returned',
  /** A blob is on disk, and no part names it. */
  'blob-stored',
  'result-before-commit',
  'result-committed',
  /** A part closed as interrupted: by a cancel, or by the repair of what a dead run left. */
  'interrupt-before-commit',
  'interrupt-committed',
  'close-before-commit',
  'close-committed',
  'compaction-before-commit',
  'compaction-committed',
  'retry-announced',
  'finish-before-commit',
  'finish-committed',
] as const;

export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Told of each point as it is passed. Given to what a test puts together; nothing else has one. */
export interface FaultPoints {
  reach(point: FaultPoint): void;
}

export interface ArmedFault {
  point: FaultPoint;
  /** 1: the first time it is passed. */
  count: number;
}

/**
 * Reads `POINT:COUNT`, such as `call-committed:2`.
 *
 * @throws {Error} for a point that does not exist.
 */
export function parseArmedFault(text: string): ArmedFault {
  const [name, count = '1'] = text.split(':');
  const point = FAULT_POINTS.find((candidate) => candidate === name);
  if (point === undefined) throw new Error(`There is no fault point "${name}".`);
  return { point, count: Math.max(1, Number(count) || 1) };
}

/** Calls `strike` when the point is passed for the `count`th time. */
export function armFault({ point, count }: ArmedFault, strike: () => void): FaultPoints {
  let left = count;
  return {
    reach(passed) {
      if (passed !== point) return;
      left -= 1;
      if (left === 0) strike();
    },
  };
}
