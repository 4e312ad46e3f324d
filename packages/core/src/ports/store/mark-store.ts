import type { Compaction, EventPayload, LonghaulEvent, Mark, Message } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';
import type { MessageDraft, SessionLog } from './log-store.ts';

/** The ledger's fold of a session up to a message. With it, the ledger is not computed from the first message. */
export interface LedgerCheckpoint {
  /** Sequence of the last message in the fold. */
  sequence: number;
  /** Output of `ledgerFoldToJson`. */
  fold: string;
}

/** Consecutive messages of a session, by their sequences. Both ends are inclusive. */
export type SequenceSpan = [first: number, last: number];

/** Stores marks, which hide parts of the log or keep them visible. */
export interface MarkStore {
  /** Stores a compaction, its summary, the other marks and the note in one transaction. */
  recordCompaction(
    lease: Lease,
    compaction: Omit<Compaction, 'kind' | 'sessionId'>,
    options?: {
      marks?: readonly Mark[];
      events?: readonly EventPayload[];
      /** Replaces the session's previous checkpoint. */
      checkpoint?: LedgerCheckpoint | undefined;
      /** All hidden messages. Required if `hides` names a message that stands for several; see `SessionView`. */
      spans?: readonly SequenceSpan[] | undefined;
      /** What was done in the session. Absent: the stored summary stays. */
      summary?: string | undefined;
      /** A message that follows the compaction. */
      note?: MessageDraft | undefined;
    },
  ): Promise<{ events: LonghaulEvent[]; note?: Message }>;
  /**
   * Returns the checkpoint if its last message is on the live path. Otherwise the fold is computed from the messages.
   */
  loadCheckpoint(sessionId: string): Promise<LedgerCheckpoint | undefined>;
  recordMarks(
    lease: Lease,
    marks: readonly Mark[],
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  /**
   * Marks a mark as undone. For a compaction, also the prune and cut marks with its `compactionId`. Returns false if
   * the mark is already undone or does not exist.
   */
  undoMark(sessionId: string, markId: string, undoneAt: number): Promise<boolean>;
  /** Returns all marks of the session, as `loadLog` does. */
  readMarks(sessionId: string): Promise<Pick<SessionLog, 'marks' | 'damaged'>>;
}
