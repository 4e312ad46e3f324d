import type { Approval, ApprovalAnswer, LonghaulEvent } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

export type NewApproval = Pick<Approval, 'callId' | 'handle' | 'toolName' | 'args'>;

/** Calls that wait for a person, and what was answered. */
export interface ApprovalStore {
  /** Stores that a call waits for an answer, with `approval:requested`. Repeating a handle stores nothing and answers as it stands now, with no events. */
  requestApproval(
    lease: Lease,
    request: NewApproval,
  ): Promise<{ approval: Approval; events: LonghaulEvent[] }>;
  /**
   * Answers the newest request with this call id, from any process, with `approval:answered`. The first answer holds: `isNew` is false
   * when there was one. Undefined when nothing was asked for.
   */
  answerApproval(
    sessionId: string,
    callId: string,
    answer: { answer: ApprovalAnswer; reason?: string },
  ): Promise<{ approval: Approval; isNew: boolean; events: LonghaulEvent[] } | undefined>;
  /** In the order in which they were requested. */
  listApprovals(sessionId: string, options?: { open?: boolean }): Promise<Approval[]>;
}
