/**
 * Moments between the effects of a run at which a test can end the process. At `…-before-commit`, everything is
 * prepared and nothing is stored. At `…-committed`, it is on disk and no event has been emitted.
 */
export const FAULT_POINTS = [
  /** Inside the transaction of any write. */
  'transaction-open',
  'enqueue-before-commit',
  'enqueue-committed',
  'lease-committed',
  /** Inside the transaction that takes the queued messages and appends them. */
  'queue-taking',
  'queue-taken',
  'message-before-commit',
  'message-committed',
  /** A piece of streamed text or reasoning. */
  'text-before-commit',
  'text-committed',
  'call-before-commit',
  /** The call is on disk; its tool has not started. */
  'call-committed',
  'start-committed',
  /** The command of a sandbox is on disk. It waits, and has had no effect. */
  'process-committed',
  /** The tool's code is about to run. */
  'tool-started',
  /** The side effect has happened; only this process knows its result. */
  'tool-returned',
  /** A blob is on disk; no part names it yet. */
  'blob-stored',
  'result-before-commit',
  'result-committed',
  /** A part is closed as interrupted, by a cancel or by the repair after a dead run. */
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

/** The same for work outside of runs. A run passes none of them. */
export const MAINTENANCE_FAULT_POINTS = [
  /** The session of an import exists and nothing shows it. */
  'import-begun',
  'import-piece-before-commit',
  'import-piece-committed',
  'import-publish-before-commit',
  'import-published',
  /** Inside a transaction that copies messages of a session. */
  'fork-copying',
  'fork-committed',
  /** Nothing shows the session any more; its rows are still stored. */
  'gc-session-dropped',
  'gc-backup-dropped',
  'gc-rests-dropped',
  'gc-blobs-swept',
  'gc-space-released',
] as const;

/** The same for recording and restoring files, if files are recorded. */
export const FILES_FAULT_POINTS = [
  'files-folder-opened',
  /** A piece of a file is read and hashed; nothing is stored. */
  'files-file-read',
  /** A pack is on disk; no tree and no part names it. */
  'files-pack-stored',
  /** A tree is on disk; no part names it. */
  'files-tree-stored',
  /** A file is about to be replaced or deleted. */
  'files-entry-checked',
  /** A file is restored; others are not. */
  'files-entry-restored',
] as const;

export type FaultPoint =
  | (typeof FAULT_POINTS)[number]
  | (typeof MAINTENANCE_FAULT_POINTS)[number]
  | (typeof FILES_FAULT_POINTS)[number];

/** Receives each point as it is passed. Only a test provides one. */
export interface FaultPoints<Point extends string = FaultPoint> {
  reach(point: Point): void;
}

export interface ArmedFault<Point extends string = FaultPoint> {
  point: Point;
  /** Which pass strikes: 1 is the first. */
  count: number;
}

/**
 * Parses `POINT:COUNT`, such as `call-committed:2`. COUNT defaults to 1.
 *
 * @throws {Error} if the point does not exist.
 */
export function parseArmedFault(text: string): ArmedFault {
  const [name, count = '1'] = text.split(':');
  const point = [...FAULT_POINTS, ...MAINTENANCE_FAULT_POINTS, ...FILES_FAULT_POINTS].find(
    (candidate) => candidate === name,
  );
  if (point === undefined) throw new Error(`There is no fault point "${name}".`);
  return { point, count: Math.max(1, Number(count) || 1) };
}

/** Calls `strike` when the point is passed for the `count`th time. */
export function armFault<Point extends string>(
  { point, count }: ArmedFault<Point>,
  strike: () => void,
): FaultPoints<Point> {
  let left = count;
  return {
    reach(passed) {
      if (passed !== point) return;
      left -= 1;
      if (left === 0) strike();
    },
  };
}
