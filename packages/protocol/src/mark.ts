/**
 * Marks: rows of their own that hide parts of the log from the view. They never change the log, and can be undone.
 */

/** What stands in the place of hidden messages: facts computed from the log, and a text written by a model. */
export interface Summary {
  ledger: string;
  /** Empty when no model was asked, or its answer was rejected. */
  narrative: string;
}

/** Old messages stand behind a summary. */
export interface Compaction {
  kind: 'compaction';
  id: string;
  sessionId: string;
  /** 1, 2, 3… of those not undone. */
  round: number;
  strategy: string;
  reason: CompactionReason;
  tokensBefore: number;
  tokensAfter: number;
  summary: Summary;
  /** Ids of all messages it hides, those of earlier rounds included. */
  hides: string[];
  createdAt: number;
  undoneAt?: number;
}

export type CompactionReason = 'threshold' | 'overflow' | 'tool-results' | 'stream' | 'manual';

/** An old tool output stands behind a placeholder. */
export interface PruneMark {
  kind: 'prune';
  id: string;
  messageId: string;
  partIndex: number;
  compactedAt: number;
  /** The compaction it belongs to, and is undone with. Absent when it was made by itself. */
  compactionId?: string;
  undoneAt?: number;
}

/** A part too large alone is shown with its middle cut out, behind its handle. */
export interface CutMark {
  kind: 'cut';
  id: string;
  messageId: string;
  partIndex: number;
  /** Characters that stay, from head and tail together. */
  keepChars: number;
  createdAt: number;
  /** The compaction it belongs to, and is undone with. */
  compactionId?: string;
  undoneAt?: number;
}

/** A message that every strategy keeps. */
export interface PinMark {
  kind: 'pin';
  id: string;
  messageId: string;
  createdAt: number;
  undoneAt?: number;
}

export type Mark = Compaction | PruneMark | CutMark | PinMark;
