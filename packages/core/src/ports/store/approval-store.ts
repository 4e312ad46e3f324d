import type { Approval, ApprovalAnswer, LonghaulEvent } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

export type NewApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

export interface NewAnswer {
  answer: ApprovalAnswer;
  reason?: string;
  /** Of the request that is meant, since a provider may use a call's id again. Absent: the only one of the session with this id. */
  handle?: string;
}

/** Calls that wait for a person, and what was answered. */
export interface ApprovalStore {
  /** Stores that a call waits for an answer, with `approval:requested`. Repeating a handle stores nothing and answers as it stands now, with no events. */
  requestApproval(
    lease: Lease,
    request: NewApproval,
  ): Promise<{ approval: Approval; events: LonghaulEvent[] }>;
  /**
   * Answers a request for this call, from any process, with `approval:answered`. The first answer holds: `isNew` is false when there was
   * one. Undefined when there is no such request.
   *
   * @throws {LonghaulError} `invalid_request` without a handle where several requests have this call id, answered ones too: nobody can
   * tell which one was looked at. `session_not_found`.
   */
  answerApproval(
    sessionId: string,
    callId: string,
    answer: NewAnswer,
  ): Promise<{ approval: Approval; isNew: boolean; events: LonghaulEvent[] } | undefined>;
  /** In the order in which they were requested. */
  listApprovals(sessionId: string, options?: { open?: boolean }): Promise<Approval[]>;
}
