import type { Message, Summary, TokenUsage } from '@longhaul/protocol';
import type { MessageRange } from './context-report.ts';

/** Options and results of the operations on a session's context. */

export interface MeasureSessionOptions {
  /** Size of the window in tokens. Overrides the window of the last run and of the model. */
  windowTokens?: number;
}

/** How a session is compacted between runs. */
export interface CompactSessionOptions extends MeasureSessionOptions {
  /**
   * Returns what a compaction would do, and changes nothing. Calls no model, so the narrative is that of the previous
   * round.
   */
  preview?: boolean;
  /** Name of a strategy. Default: the configured strategy. */
  strategy?: string;
  /** What the narrative keeps in particular, in a person's words. At most 2,000 characters are used. */
  focus?: string;
  signal?: AbortSignal;
}

/** What a compaction did, or would do. */
export interface CompactionReport {
  strategy: string;
  round: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Messages that this compaction hides and no earlier one does. */
  hides: { count: number; ranges: MessageRange[] };
  /** Number of tool outputs that it replaces by a placeholder. */
  pruned: number;
  /** Number of parts whose middle it cuts out. */
  cut: number;
  summary: Summary;
  /** Usage of the model call for the narrative. Absent if there was none, or if it reported no usage. */
  usage?: TokenUsage;
  warnings: string[];
}

/** What became of a requested compaction. */
export type CompactSessionResult =
  | ({ status: 'compacted' | 'preview' } & CompactionReport)
  /** No message is old enough, or a compaction would save too little. */
  | { status: 'nothing'; tokens: number }
  /** The session's current run compacts at its next step. */
  | { status: 'queued' };

/** What became of the newest compaction. */
export type UndoResult =
  | {
      status: 'undone';
      round: number;
      /** Number of messages that the model sees again. */
      shown: number;
      /** Size of the next request. */
      tokens: number;
      /** Absent if the window is unknown. */
      usableTokens?: number;
      /** False if the next run must compact again. */
      fits: boolean;
    }
  /** Content that was left out because a server refused it is part of requests again. */
  | { status: 'restored'; handles: string[]; tokens: number }
  | { status: 'nothing' };

/** The message that was pinned or unpinned. */
export interface PinResult {
  messageId: string;
  handle: string;
  role: Message['role'];
  /** The beginning of the message. */
  text: string;
  /** False if the message was already pinned, or already unpinned. */
  changed: boolean;
  /** A compaction hid the message, and the pin makes it visible again. */
  wasHidden: boolean;
}
