import type { JsonValue, LonghaulError } from '@longhaul/protocol';

export interface ApprovalRequest {
  callId: string;
  /** The call's place in the session, such as `m12.3`. */
  handle: string;
  toolName: string;
  input: JsonValue;
  /** Ends the waiting for an answer. What is returned then says nothing. */
  signal: AbortSignal;
  /** The time in which a person is asked is no time of the run: it stands still until the result is disposed. */
  stopClock: () => Disposable;
}

/** `waits`: the run is interrupted, and the request stands for whoever goes on with it; the call stays pending. */
export type ApprovalVerdict = { allowed: true } | { allowed: false; reason: string; waits?: true };

/** Whether the calls of one run may be made. */
export interface Approver {
  /** Answers at once, or when somebody has. Rejects only when the store does. */
  approve(request: ApprovalRequest): Promise<ApprovalVerdict>;
  /**
   * Why the run has failed: all that it wanted was refused, because nobody was there to be asked. `isAtEnd`: the model has given its
   * final answer; before that, it is given some tries to find another way.
   */
  failure(options: { isAtEnd: boolean }): LonghaulError | undefined;
}

/** For runs that may do everything. */
export const ALLOW_ALL: Approver = {
  approve: async () => ({ allowed: true }),
  failure: () => undefined,
};
