import type { EventPayload, LonghaulEvent, RunStatus, Session } from '@longhaul/protocol';

/** Who drives a session. Enough to tell whether it still lives. */
export interface LeaseOwner {
  host: string;
  bootId: string;
  pid: number;
  /** Start time of the process, as the kernel gives it: a pid alone is used again. */
  processStartedAt: string;
}

/** The right to append to one session, held by one run. */
export interface Lease {
  readonly sessionId: string;
  readonly runId: string;
  /** Grows with every acquisition. Appends with an older epoch are refused. */
  readonly epoch: number;
}

/** Who asks whether a session is free, and how it tells the living from the dead. */
export interface Claimant {
  owner: LeaseOwner;
  isAlive: (owner: LeaseOwner) => boolean;
}

export interface LeaseHolder {
  runId: string;
  epoch: number;
  owner: LeaseOwner;
  expiresAt: number;
}

export interface FinishRunOptions {
  status: RunStatus;
  sessionStatus: Session['status'];
  /** Close only if no message waits in the queue. Used by a run that believes it is done. */
  onlyIfQueueEmpty: boolean;
  events: readonly EventPayload[];
}

export interface RunRecord {
  runId: string;
  sessionId: string;
  owner: LeaseOwner;
  startedAt: number;
  /** Absent while it runs, and of a run whose process died, until `closeDeadRun`. */
  endedAt?: number;
  status?: RunStatus;
}

/** Who drives a session, and the runs that did. */
export interface LeaseStore {
  /**
   * Takes the session for a run, if nobody holds it, or if its holder is dead (`isAlive` says no) or its lease expired. The run of a
   * holder that is replaced stays without an end until `closeDeadRun`.
   *
   * Between processes of one boot, expiry is measured on the machine's own uptime: a clock that is set makes no difference.
   *
   * @throws {LonghaulError} `session_busy` with the holder in `data`.
   */
  acquireLease(
    sessionId: string,
    options: Claimant & { runId: string; ttlMs: number; events?: readonly EventPayload[] },
  ): Promise<{ lease: Lease; events: LonghaulEvent[] }>;
  renewLease(lease: Lease, ttlMs: number): Promise<void>;
  /** Who holds the session. With a claimant, only a holder that `acquireLease` would not replace. */
  leaseHolder(sessionId: string, claimant?: Claimant): Promise<LeaseHolder | undefined>;
  /** Ends, as interrupted, a run that another replaced. Does nothing and answers `[]` when it has an end. */
  closeDeadRun(lease: Lease, runId: string, events: readonly EventPayload[]): Promise<LonghaulEvent[]>;
  /**
   * Ends the run and gives the lease back. With `onlyIfQueueEmpty` and a message waiting, changes nothing and answers
   * `{finished: false}`.
   */
  finishRun(lease: Lease, options: FinishRunOptions): Promise<{ finished: boolean; events: LonghaulEvent[] }>;
  listRuns(sessionId: string): Promise<RunRecord[]>;
  /** Of each session whose newest run has no end, or ended as interrupted, that run; the newest first. */
  listUnfinishedRuns(options: { limit: number }): Promise<RunRecord[]>;
}
