import type { Compaction, EventPayload, LonghaulEvent, Mark } from '@longhaul/protocol';
import type { Lease } from './lease-store.ts';
import type { SessionLog } from './log-store.ts';

/** The ledger's fold of a session up to a message, so that it need not be computed from the first one. */
export interface LedgerCheckpoint {
  /** Sequence of the last message in it. */
  sequence: number;
  /** As `ledgerFoldToJson` wrote it. */
  fold: string;
}

/** What hides a part of the log, or keeps it from being hidden. */
export interface MarkStore {
  /** The compaction row, its summary and all further marks, in one transaction. */
  recordCompaction(
    lease: Lease,
    compaction: Omit<Compaction, 'kind' | 'sessionId'>,
    options?: {
      marks?: readonly Mark[];
      events?: readonly EventPayload[];
      /** Takes the place of the session's last one. */
      checkpoint?: LedgerCheckpoint | undefined;
    },
  ): Promise<LonghaulEvent[]>;
  loadCheckpoint(sessionId: string): Promise<LedgerCheckpoint | undefined>;
  recordMarks(
    lease: Lease,
    marks: readonly Mark[],
    events?: readonly EventPayload[],
  ): Promise<LonghaulEvent[]>;
  /** Marks the mark as undone; with a compaction, the prune and cut marks that name it by `compactionId` too. Undoing what was undone, or an id that is not there, answers false. */
  undoMark(sessionId: string, markId: string, undoneAt: number): Promise<boolean>;
  /** All marks of the session, as `loadLog` gives them. */
  readMarks(sessionId: string): Promise<Pick<SessionLog, 'marks' | 'damaged'>>;
}
