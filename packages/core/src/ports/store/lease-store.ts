import type { EventPayload, LonghaulEvent, RunStatus, Session } from '@longhaul/protocol';

/** The process that holds a session, with enough data to check whether it is alive. */
export interface LeaseOwner {
  host: string;
  bootId: string;
  pid: number;
  /** Start time of the process, as reported by the kernel. A pid alone can be reused. */
  processStartedAt: string;
}

/** The right to append to one session, held by one run. */
export interface Lease {
  readonly sessionId: string;
  readonly runId: string;
  /** Increases with each acquisition. Appends with an older epoch are refused. */
  readonly epoch: number;
}

/** The process that wants a session, and its check whether another process is alive. */
export interface Claimant {
  owner: LeaseOwner;
  isAlive: (owner: LeaseOwner) => boolean;
}

/** The run that holds a session, and the process that drives it. */
export interface LeaseHolder {
  runId: string;
  epoch: number;
  owner: LeaseOwner;
  expiresAt: number;
  /** Where other servers reach the owner. Absent: it is not a server of a cluster. */
  address?: string;
}

/** How a run ends, with the events that are stored in the same transaction. */
export interface FinishRunOptions {
  status: RunStatus;
  sessionStatus: Session['status'];
  /** Ends the run only if the queue is empty. Used by a run with a final answer. */
  onlyIfQueueEmpty: boolean;
  /** What was done in the session. Absent: the stored summary stays. */
  summary?: string | undefined;
  events: readonly EventPayload[];
}

/** A stored run of a session. */
export interface RunRecord {
  runId: string;
  sessionId: string;
  owner: LeaseOwner;
  startedAt: number;
  /** Absent while the run is active. Absent for a run whose process died, until `closeDeadRun`. */
  endedAt?: number;
  status?: RunStatus;
}

/** Stores the lease and the runs of a session. */
export interface LeaseStore {
  /** A lease that its owner has not renewed for this long can be taken. Default: 30,000. */
  readonly leaseTtlMs?: number;
  /**
   * Takes the session for a run if nobody holds it, if its holder is dead (`isAlive` returns false), or if its lease
   * has expired. The run of a replaced holder stays without an end until `closeDeadRun`.
   *
   * Between processes of the same boot, expiry is measured by the machine's uptime, so setting the clock has no effect.
   *
   * @throws {LonghaulError} `session_busy`, with the holder in `data`.
   */
  acquireLease(
    sessionId: string,
    options: Claimant & { runId: string; ttlMs: number; events?: readonly EventPayload[] },
  ): Promise<{ lease: Lease; events: LonghaulEvent[] }>;
  renewLease(lease: Lease, ttlMs: number): Promise<void>;
  /** Returns the holder of the session. With a claimant, only a holder that `acquireLease` would not replace. */
  leaseHolder(sessionId: string, claimant?: Claimant): Promise<LeaseHolder | undefined>;
  /** Ends a replaced run as interrupted. If it already has an end, does nothing and returns `[]`. */
  closeDeadRun(lease: Lease, runId: string, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;
  /**
   * Ends the run and releases the lease. With `onlyIfQueueEmpty` and a queued message, changes nothing and returns
   * `finished: false`.
   */
  finishRun(lease: Lease, options: FinishRunOptions): Promise<{ finished: boolean; events: LonghaulEvent[] }>;
  /** @param options `isOpen`: only runs without an end. A long session has thousands of others. */
  listRuns(sessionId: string, options?: { isOpen?: boolean }): Promise<RunRecord[]>;
  /** Returns the newest run of each session, if it has no end or ended as interrupted. Newest first. */
  listUnfinishedRuns(options: { limit: number }): Promise<RunRecord[]>;
}
