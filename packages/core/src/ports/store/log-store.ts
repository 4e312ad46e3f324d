import type { EventPayload, LonghaulEvent, Mark, Message, Part, Session } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';

/** What is known of a message when its row is first written; the store gives it its sequence. */
export type MessageDraft = Omit<Message, 'sequence' | 'sessionId'>;

/** Fields of a message that its end brings. */
export type MessageClosing = Pick<Message, 'status' | 'tokenCount'> &
  Partial<Pick<Message, 'finishReason' | 'usage' | 'cost' | 'model'>>;

export interface DamagedRow {
  table: string;
  id: string;
  reason: string;
}

export interface SessionLog {
  session: Session;
  messages: Message[];
  /** All marks, undone ones included, in the order in which they were made. A store may make a compaction's `hides` anew whenever it is looked at. */
  marks: Mark[];
  /** Rows that could not be read, and why. They are left as they are. */
  damaged: DamagedRow[];
}

/** A log without what a compaction hides: enough for the next request, whatever the session's length. */
export interface SessionView extends SessionLog {
  /**
   * Ids of messages that are hidden. They stand in `messages` in their place, without their parts, and without usage and cost unless a run
   * that has no end may have written them.
   */
  unloaded: ReadonlySet<string>;
}

/** Sequences, themselves not included. */
export interface SequenceRange {
  after?: number;
  before?: number;
}

/** Messages and their parts, written by the run that holds the session, read by anyone. */
export interface LogStore {
  appendMessage(
    lease: Lease,
    draft: MessageDraft,
    events?: readonly EventPayload[],
  ): Promise<{ message: Message; events: LonghaulEvent[] }>;
  /**
   * Writes the part at `index`: a new one when `index` is the number of the message's parts, else a later state of the
   * part there. A closed part never changes: that is refused with `internal`.
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
  /**
   * The log as the next request needs it. `buildView` makes the same of it as of the whole log: only marks that hide something of it, or could
   * again, are there, and undone compactions name nothing.
   */
  loadView(sessionId: string): Promise<SessionView>;
  /**
   * A page of the session's messages, in their order: those after a sequence, from the oldest on; else the newest, of those before one
   * where that is given.
   */
  readMessages(
    sessionId: string,
    options: SequenceRange & { limit: number },
  ): Promise<Pick<SessionLog, 'messages' | 'damaged'>>;
}
