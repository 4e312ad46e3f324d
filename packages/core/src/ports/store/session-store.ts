import type { Part, Session } from '@longhaul/protocol';

export type NewSession = Omit<Session, 'updatedAt' | 'status'>;

export type SessionPatch = Partial<Pick<Session, 'status' | 'task' | 'title' | 'model' | 'metadata'>>;

export interface ForkOptions {
  /** Sequence of the last message that is copied. Default: all are. */
  at?: number;
  /** Ids of copied messages and marks. */
  newId: () => string;
  /** What becomes of a part that is still open. Pure. */
  close: (part: Part) => Part;
}

/** Sessions as such: what they are called, and that they are there. */
export interface SessionStore {
  createSession(session: NewSession): Promise<Session>;
  getSession(sessionId: string): Promise<Session | undefined>;
  /** Newest first. `before` is the id of the last session of the page before; `search`: words, each in title or task. */
  listSessions(options?: { limit?: number; before?: string; search?: string }): Promise<Session[]>;
  updateSession(sessionId: string, patch: SessionPatch): Promise<Session>;
  /**
   * A new session that begins as the source stood at message `at`: messages, parts, and the marks on them. A compaction that was made
   * later, or hides a later message, is left out with the marks that belong to it. Sequences, and so handles, stay; blobs are shared.
   *
   * @throws {LonghaulError} `not_found` when the source has no message `at`.
   */
  forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session>;
  deleteSession(sessionId: string): Promise<void>;
}
