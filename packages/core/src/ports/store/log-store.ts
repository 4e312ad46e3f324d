import type { PlacedPatch } from '@longhaul/context/engine';
import type { EventPayload, LonghaulEvent, Mark, Message, Part, Session } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

/** A message as first stored. The store assigns its sequence. */
export type MessageDraft = Omit<Message, 'sequence' | 'sessionId'>;

/** The fields of a message that are set when it is closed. */
export type MessageClosing = Pick<Message, 'status' | 'tokenCount'> &
  Partial<Pick<Message, 'finishReason' | 'usage' | 'cost' | 'model'>>;

/** A stored row that cannot be read. */
export interface DamagedRow {
  table: string;
  id: string;
  /** The message or part that is affected, such as `m3` or `m3.1`. */
  handle?: string;
  reason: string;
}

/** A session with its messages and marks. */
export interface SessionLog {
  session: Session;
  messages: Message[];
  /**
   * All marks in the order of their creation, including undone ones. A store may compute a compaction's `hides` on each
   * access.
   */
  marks: Mark[];
  /** Rows that could not be read, with the reason. They are not changed. */
  damaged: DamagedRow[];
}

/**
 * A log without the parts of hidden messages. It is sufficient for the next request, regardless of the session's
 * length.
 */
export interface SessionView extends SessionLog {
  /**
   * Ids of hidden messages. They keep their places in `messages`, but have no parts. They also have no usage and no
   * cost, unless a run without an end may have written them.
   */
  unloaded: ReadonlySet<string>;
  /** See `ContextLog`. Empty if every hidden message is in `messages`. */
  standsFrom: ReadonlyMap<string, number>;
}

/** How much of the hidden messages is loaded. */
export interface ViewOptions {
  /**
   * Whether consecutive hidden messages are one message, the last of them: then the work does not depend on the length
   * of the session. Default: false.
   */
  collapse?: boolean;
}

/** A range of sequences. Both ends are exclusive. */
export interface SequenceRange {
  after?: number;
  before?: number;
}

/** Which messages of a session are read. */
export interface MessagePage extends SequenceRange {
  limit: number;
  /** Default: false. */
  skipReverted?: boolean;
  /** Leaves `parts` empty, and reads none. Default: false. */
  skipParts?: boolean;
}

/** Stores messages and their parts. Only the run that holds the session writes; any process can read. */
export interface LogStore {
  appendMessage(
    lease: Lease,
    draft: MessageDraft,
    events?: readonly EventPayload[],
  ): Promise<{ message: Message; events: LonghaulEvent[] }>;
  /**
   * Writes the part at `index`: a new part if `index` equals the number of parts, otherwise a new state of an existing
   * part. A closed part cannot be changed: that is refused with `internal`.
   */
  putPart(
    lease: Lease,
    target: { messageId: string; index: number },
    part: Part,
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  closeMessage(
    lease: Lease,
    messageId: string,
    closing: MessageClosing,
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  loadLog(sessionId: string): Promise<SessionLog>;
  /** Checks every stored row of the session, also those that `loadLog` does not read, such as events. */
  findDamage(sessionId: string): Promise<DamagedRow[]>;
  /**
   * Loads the log for the next request. `buildView` returns the same for it as for the whole log. It contains only the
   * messages of the live path, so their sequences may have gaps, and only marks that were made on it and that hide
   * something of it or could hide it again. Undone compactions have empty `hides`.
   */
  loadView(sessionId: string, options?: ViewOptions): Promise<SessionView>;
  /**
   * Returns the session's records of changed files in the order of the log, those of reverted messages included. Loads
   * no other part. Leaves out damaged ones.
   */
  listPatches(sessionId: string, range?: SequenceRange): Promise<PlacedPatch[]>;
  /**
   * Returns a page of the session's messages, in order. With `after`: the oldest messages after that sequence. Without
   * it: the newest messages, before the sequence `before` if given. `skipReverted`: only messages of the live path.
   */
  readMessages(sessionId: string, options: MessagePage): Promise<Pick<SessionLog, 'messages' | 'damaged'>>;
  /** Returns the sum of the costs of the session's messages, in US dollars, those of reverted messages included. */
  costOf(sessionId: string): Promise<number>;
}
