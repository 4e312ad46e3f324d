import type { Session } from '@longhaul/protocol';

/**
 * How the drive of a session ended. `done`: there is nothing more to do. `held`: another process drives it. `left`: this
 * process has stopped before the work was done, so another one must continue. `blocked`: it cannot be driven now, because
 * commands of an earlier run may still run on another machine.
 */
export type DriveOutcome = 'done' | 'held' | 'left' | 'blocked';

/**
 * Drives a session until it is idle. It rejects if the drive must be repeated.
 *
 * @param options.isRepeated An earlier drive for the same request did not end: its process died, it rejected, or another
 * process held the session.
 */
export type DriveSession = (sessionId: string, options: { isRepeated: boolean }) => Promise<DriveOutcome>;

/** Spreads sessions with work over several processes. Without one, each process drives the sessions that it is asked for. */
export interface Dispatcher {
  /** The name of this machine, for sessions whose workspace is here. */
  readonly machine: string;
  /**
   * Asks for a drive of the session, by any process of its machine. It is stored when this resolves. Of several requests
   * for a session, one waits at most.
   */
  request(session: Session): Promise<void>;
  /** Withdraws a request that no process has taken. Returns whether there was one. */
  withdraw(session: Session): Promise<boolean>;
  /** Applies the session's priority, which was changed, to a request that waits. */
  prioritise(session: Session): Promise<void>;
  /** Whether a request waits. */
  isRequested(session: Session): Promise<boolean>;
  /** The positions of sessions that wait for a place. 1: it is next. Those of a machine are counted apart. */
  positions(): Promise<ReadonlyMap<string, number>>;
  /** Sessions of this machine that wait for a server, and those that are driven. */
  counts(): Promise<{ waiting: number; driven: number }>;
  /** Takes requests from now on, and calls `drive` for each. */
  take(drive: DriveSession): Promise<void>;
  /** Gives the place of a session that is driven here to others, because it waits for a person. */
  pause(sessionId: string): void;
  /** Takes its place again, even if there is none. */
  resume(sessionId: string): void;
  /** Takes no more requests. Drives that have begun continue. */
  leave(): Promise<void>;
}
