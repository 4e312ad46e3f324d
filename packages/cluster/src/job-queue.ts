/** The properties of the queues. A job is a session with work, and its key is the session. */
export const QUEUE = {
  /** One job of a session waits at most, and one is active at most. A job that arrives during a run is looked at after it. */
  policy: 'stately',
  /** The shortest that pg-boss has. A job whose process does not show this often that it lives is given to another. */
  heartbeatSeconds: 10,
  /** The longest that pg-boss has. A session that runs longer is driven on: the job of its next process finds it held. */
  expireInSeconds: 24 * 60 * 60,
  /** A session at which process after process dies is left alone after so many. */
  retryLimit: 20,
  retryDelay: 1,
  retentionSeconds: 365 * 24 * 60 * 60,
  deleteAfterSeconds: 300,
} as const;

/** Three of them may be lost, with a server that restarts in the meantime. */
export const HEARTBEAT_REFRESH_SECONDS = 2.5;
/**
 * The shortest that pg-boss has. Its notifications are not used: a listener that it gives up after a pause of the process
 * has no handler for later errors of its connection, and such an error would end the process.
 */
export const POLL_SECONDS = 0.5;
/** A session that could not be driven is looked at again after this time. */
export const AGAIN_SECONDS = { left: 0, held: 2, blocked: 30 } as const;

/** Children have a queue of their own, because their parents may hold all places and wait for them. */
export const KINDS = ['sessions', 'children'] as const;
export type QueueKind = (typeof KINDS)[number];

/** In place of a machine, for sessions that any machine can drive. No machine has a name with a slash. */
export const ANY_MACHINE = 'any/machine';

/** Returns the queue of a machine. */
export function queueOf(machine: string, kind: QueueKind): string {
  return `${machine}/${kind}`;
}

/** The sessions of an owner are a group. */
export function inGroup(id: string | null | undefined): { group?: { id: string } } {
  return typeof id === 'string' ? { group: { id } } : {};
}
