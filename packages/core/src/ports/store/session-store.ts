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

export interface SessionQuery {
  /** Default 50. */
  limit?: number;
  /** Id of the last session of the previous page. */
  before?: string;
  /** Words, each of which occurs in the title or the task. */
  search?: string;
  /** Only sessions that work in this folder. `below`: also those of the folders in it. */
  workspace?: { folder: string; below?: boolean };
}

/** Sessions as such: what they are called, and that they are there. */
export interface SessionStore {
  createSession(session: NewSession): Promise<Session>;
  getSession(sessionId: string): Promise<Session | undefined>;
  /**
   * Returns a page of sessions, newest first.
   *
   * @throws {LonghaulError} `session_not_found` if `before` names none.
   */
  listSessions(query?: SessionQuery): Promise<Session[]>;
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
