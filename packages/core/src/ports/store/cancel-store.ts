import type { Claimant, LeaseHolder } from './lease-store.ts';

/** Wishes, from any process, that a run may end. */
export interface CancelStore {
  /**
   * Asks the run that holds the session to end. Answers who holds it; nobody, when nobody alive does. The wish stands until
   * `answerCancel`, or until the run is deleted.
   */
  requestCancel(
    sessionId: string,
    options: Claimant & { clearQueue: boolean },
  ): Promise<{ holder?: LeaseHolder; clearedMessages: number }>;
  /** Whether someone wants the run to end, and it has not answered. */
  hasCancelRequest(runId: string): Promise<boolean>;
  /** The run has ended and nothing of it goes on: whoever asked for it may go on. */
  answerCancel(runId: string): Promise<void>;
}
