import type { Approval, ApprovalAnswer, JsonObject, LonghaulEvent } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

/** A request for approval to store. */
export type NewApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

/** The answer to a request for approval or to a question. */
export interface NewAnswer {
  answer: ApprovalAnswer;
  reason?: string;
  /** Values for the fields of a question. */
  content?: JsonObject;
  /** Handle of the request. A provider may reuse a call id. Absent: the session's only request with this id. */
  handle?: string;
}

/** Stores requests for approval and their answers. */
export interface ApprovalStore {
  /**
   * Stores a request for approval of a call, with `approval:requested`. Repeating a handle stores nothing and returns
   * the current approval, without events.
   */
  requestApproval(
    lease: Lease,
    request: NewApproval,
  ): Promise<{ approval: Approval; events: LonghaulEvent[] }>;
  /**
   * Stores the answer to a request, from any process, with `approval:answered`. Only the first answer is stored:
   * `isNew` is false if there already was one. Returns undefined if there is no such request.
   *
   * @throws {LonghaulError} `invalid_request` without a handle if several requests have this call id, including
   * answered ones, because it is unknown which one is meant. `session_not_found`.
   */
  answerApproval(
    sessionId: string,
    callId: string,
    answer: NewAnswer,
  ): Promise<{ approval: Approval; isNew: boolean; events: LonghaulEvent[] } | undefined>;
  /** Lists approvals in the order of their requests. */
  listApprovals(sessionId: string, options?: { open?: boolean }): Promise<Approval[]>;
  /** Lists the open requests of all sessions, oldest first. */
  listOpenApprovals(options: { limit: number }): Promise<Approval[]>;
}
