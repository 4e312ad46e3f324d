import type { EventPayload, LonghaulEvent, Mark, Part, Session } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';
import type { MessageDraft } from './log-store.ts';

/** A session to store. */
export type NewSession = Omit<Session, 'updatedAt' | 'status'>;

/** What can be changed in a stored session. */
export type SessionPatch = Partial<
  Pick<Session, 'status' | 'task' | 'title' | 'model' | 'metadata' | 'summary'>
>;

/** A new title of a session, if its title is still `from`. */
export interface TitleChange {
  from: string;
  to: string;
  /** Also replaces the task. */
  task?: string | undefined;
}

/** What a fork copies from its source. */
export interface ForkOptions {
  /** Sequence of the last message to copy. Default: all messages. */
  at?: number;
  /** Returns ids for copied messages and marks. */
  newId: () => string;
  /** Closes a part that is still open. Must be pure. */
  close: (part: Part) => Part;
}

/** Which sessions are listed. Newest first. */
export interface SessionQuery {
  /** Default 50. */
  limit?: number;
  /** Id of the last session of the previous page. */
  before?: string;
  /** Words, each of which occurs in the title or the task. */
  search?: string;
  /** Only sessions with this workspace. `below`: also sessions with a workspace below this folder. */
  workspace?: { folder: string; below?: boolean };
  /** Only children of this session. Null: only sessions that are no children. */
  parentId?: string | null | undefined;
  /**
   * Only sessions that the token of this name may see (`maySee` of the protocol). Children are not left out: their first
   * ancestor decides about them.
   */
  visibleTo?: string | undefined;
}

/** What a staged session gets when it becomes visible. */
export interface StagedEnd {
  patch: SessionPatch;
  marks: readonly Mark[];
}

/** A further staged session of the same store, which becomes visible in the same transaction. */
export interface StagedChild extends StagedEnd {
  id: string;
  /** Number of its messages. */
  messages: number;
}

/**
 * A session that is being written. Until it is published, nothing returns it, and a killed process leaves nothing
 * visible.
 */
export interface StagedSession {
  /** Appends messages in one transaction. */
  append(drafts: readonly MessageDraft[]): Promise<void>;
  /**
   * Makes the whole session visible, with these marks and its staged children, in one transaction.
   *
   * @throws {LonghaulError} `session_not_found` if an unfinished session was removed in the meantime.
   */
  publish(last: StagedEnd & { children?: readonly StagedChild[] }): Promise<Session>;
  /** Removes everything that was stored. */
  discard(): Promise<void>;
}

/** Stores sessions, without their logs. */
export interface SessionStore {
  createSession(session: NewSession): Promise<Session>;
  getSession(sessionId: string): Promise<Session | undefined>;
  /**
   * Returns a page of sessions, newest first: in the reverse order of their creation in this store, whatever their
   * `createdAt` is, because the clock can be set back.
   *
   * @throws {LonghaulError} `session_not_found` if `before` is not a session.
   */
  listSessions(query?: SessionQuery): Promise<Session[]>;
  /**
   * Changes a session. Keys of `metadata` are merged into those that are stored at that moment, because several writers
   * have keys there; `null` removes a key.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  updateSession(sessionId: string, patch: SessionPatch): Promise<Session>;
  /**
   * Changes the title of a session during a run. Returns undefined, and stores nothing, if the title is no longer `from`
   * or already `to`.
   */
  retitleSession(
    lease: Lease,
    change: TitleChange,
    events: readonly EventPayload[],
  ): Promise<LonghaulEvent[] | undefined>;
  /**
   * Creates a session with a copy of the source up to message `at`: messages, parts, and their marks. A compaction that
   * was made later, or that hides a later message, is not copied, and neither are its marks. Sequences and handles are
   * the same. Blobs are shared.
   *
   * Reverted messages are copied too, with the reverts that were made before message `at`. So the conversation of the
   * fork is that of the branch of message `at`, also if that branch was left. Without `at`, all reverts are copied.
   *
   * @throws {LonghaulError} `not_found` if the source has no message `at`.
   */
  forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session>;
  /** Begins a session that becomes visible as a whole. */
  stageSession(session: NewSession): Promise<StagedSession>;
  /** Deletes a session with all its children, and theirs. No query returns one of them after another is gone. */
  deleteSession(sessionId: string): Promise<void>;
}
