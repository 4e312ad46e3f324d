import type { JsonValue } from './json.ts';

/** `once`: this call. `always`: this call, and what is asked for by it, for the rest of the session. */
export type ApprovalAnswer = 'once' | 'always' | 'deny';

/** A tool call that waits for somebody's word, or has had it. */
export interface Approval {
  sessionId: string;
  callId: string;
  /** The call's place in the session, such as `m12.3`: a provider may use a call's id again. */
  handle: string;
  toolName: string;
  args: JsonValue;
  /** Milliseconds since 1970. */
  requestedAt: number;
  /** Absent while it waits. */
  answeredAt?: number;
  answer?: ApprovalAnswer;
  reason?: string;
}
