import type { Lease } from './lease-store.ts';

/** The full text of a cut tool output, which is kept as a blob. */
export interface KeptOutput {
  /** Handle of the call, such as `m12.3`. */
  handle: string;
  blobId: string;
  /** Size of the blob. */
  bytes: number;
}

/** The stored output of a call that is longer than what the model saw. */
export interface OutputRecord extends KeptOutput {
  keptAt: number;
  /** Present if the full text was deleted to make room. The part still has what the model saw. */
  deletedAt?: number;
}

/** Stores which full outputs a session keeps, so that their size can be limited. */
export interface OutputStore {
  /** Stores an output of the run that holds the lease. Repeating a handle stores nothing. */
  recordOutput(lease: Lease, output: KeptOutput): Promise<void>;
  /** Lists the outputs of a session, oldest first. Outputs that older versions kept are missing. */
  listOutputs(sessionId: string): Promise<OutputRecord[]>;
  /**
   * Marks outputs as deleted, and returns the ids of their blobs. Leaves out outputs whose blob is also named
   * elsewhere: by another session, another call, or a message. The caller deletes the blobs.
   */
  deleteOutputs(lease: Lease, handles: readonly string[]): Promise<string[]>;
}
