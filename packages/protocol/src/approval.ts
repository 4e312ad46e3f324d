import type { JsonObject, JsonValue } from './json.ts';

/**
 * `once` allows this call. `always` also allows the same commands or tool for the rest of the session. `deny` refuses
 * the call.
 */
export type ApprovalAnswer = 'once' | 'always' | 'deny';

/** A request to approve a tool call, open or answered. */
export interface Approval {
  sessionId: string;
  callId: string;
  /** The call's place in the session, such as `m12.3`. Identifies the request, because providers may reuse call ids. */
  handle: string;
  toolName: string;
  args: JsonValue;
  /** Milliseconds since 1970. */
  requestedAt: number;
  /** Absent while the request is open. */
  answeredAt?: number;
  answer?: ApprovalAnswer;
  reason?: string;
  /** The values that answer a question of a server. See `questionOf`. */
  content?: JsonObject;
}
