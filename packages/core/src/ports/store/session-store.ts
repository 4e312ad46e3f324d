import type { Part, Session } from '@longhaul/protocol';

export type NewSession = Omit<Session, 'updatedAt' | 'status'>;

export type SessionPatch = Partial<Pick<Session, 'status' | 'task' | 'title' | 'model' | 'metadata'>>;

export interface ForkOptions {
  /** Sequence of the last message to copy. Default: all messages. */
  at?: number;
  /** Returns ids for copied messages and marks. */
  newId: () => string;
  /** Closes a part that is still open. Must be pure. */
  close: (part: Part) => Part;
}

export interface SessionQuery {
  /** Default 50. */
  limit?: number;
  /** Id of the last session of the previous page. */
  before?: string;
  /** Words, each of which occurs in the title or the task. */
  search?: string;
  /** Only sessions with this workspace. `below`: also sessions with a workspace below this folder. */
  workspace?: { folder: string; below?: boolean };
}

/** Stores sessions, without their logs. */
export interface SessionStore {
  createSession(session: NewSession): Promise<Session>;
  getSession(sessionId: string): Promise<Session | undefined>;
  /**
   * Returns a page of sessions, newest first.
   *
   * @throws {LonghaulError} `session_not_found` if `before` is not a session.
   */
  listSessions(query?: SessionQuery): Promise<Session[]>;
  updateSession(sessionId: string, patch: SessionPatch): Promise<Session>;
  /**
   * Creates a session with a copy of the source up to message `at`: messages, parts, and their marks. A compaction that
   * was made later, or that hides a later message, is not copied, and neither are its marks. Sequences and handles are
   * the same. Blobs are shared.
   *
   * @throws {LonghaulError} `not_found` if the source has no message `at`.
   */
  forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session>;
  deleteSession(sessionId: string): Promise<void>;
}
