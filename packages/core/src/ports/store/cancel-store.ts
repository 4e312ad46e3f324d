import type { Claimant, LeaseHolder } from './lease-store.ts';

/** Stores cancel requests from any process. */
export interface CancelStore {
  /**
   * Stores a request that the run holding the session ends, and returns the holder. Without a living holder, stores
   * none and returns no holder. The request stays until `answerCancel`, or until the run is deleted.
   */
  requestCancel(
    sessionId: string,
    options: Claimant & { clearQueue: boolean },
  ): Promise<{ holder?: LeaseHolder; clearedMessages: number }>;
  /** Returns true if there is an unanswered request for the run. */
  hasCancelRequest(runId: string): Promise<boolean>;
  /** Answers the request. Call it when the run has ended and its work has stopped. */
  answerCancel(runId: string): Promise<void>;
}
