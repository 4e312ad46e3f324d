import type { JsonObject, JsonValue } from './json.ts';

/**
 * `once` allows this call. `always` also allows the same commands or tool for the rest of the session. `deny` refuses
 * the call.
 */
export type ApprovalAnswer = 'once' | 'always' | 'deny';

/** The child session that asks for approval. */
export interface AskingChild {
  sessionId: string;
  agent: string;
  title: string;
}

/** A request to approve a tool call, open or answered. */
export interface Approval {
  sessionId: string;
  callId: string;
  /**
   * The call's place in the session, such as `m12.3`. Identifies the request, because providers may reuse call ids. In a
   * list of a parent's requests, `m12.3/m4.1` is the place in the child that call `m12.3` has started.
   */
  handle: string;
  /** The child session that asks, if the parent's requests are listed. */
  child?: AskingChild;
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
