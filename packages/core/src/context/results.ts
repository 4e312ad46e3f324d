import type { Message, Summary, TokenUsage } from '@longhaul/protocol';
import type { MessageRange } from './context-report.ts';

/** What a caller asks of a session's context, and what it is told. */

export interface MeasureSessionOptions {
  /** Tokens of the window, where neither a run nor the model says it; wins over both. */
  windowTokens?: number;
}

export interface CompactSessionOptions extends MeasureSessionOptions {
  /** Says what would be done and changes nothing. Asks no model, so the narrative is that of the round before. */
  preview?: boolean;
  /** A strategy's name. Default: the configured one. */
  strategy?: string;
  signal?: AbortSignal;
}

export interface CompactionReport {
  strategy: string;
  round: number;
  tokensBefore: number;
  tokensAfter: number;
  /** Messages that this compaction hides and no earlier one did. */
  hides: { count: number; ranges: MessageRange[] };
  /** Tool outputs it puts behind a placeholder, and parts it shows with their middle cut out. */
  pruned: number;
  cut: number;
  summary: Summary;
  /** Of the model that wrote the narrative; absent when none was asked, or it does not say. */
  usage?: TokenUsage;
  warnings: string[];
}

export type CompactSessionResult =
  | ({ status: 'compacted' | 'preview' } & CompactionReport)
  /** Nothing is old enough, or so little would be saved that it is not worth it. */
  | { status: 'nothing'; tokens: number }
  /** A run drives the session: it compacts at its next step. */
  | { status: 'queued' };

export type UndoResult =
  | {
      status: 'undone';
      round: number;
      /** Messages that the model sees again. */
      shown: number;
      /** Of the next request. */
      tokens: number;
      /** Absent when the window is not known. */
      usableTokens?: number;
      /** False: the next run has to compact again. */
      fits: boolean;
    }
  | { status: 'nothing' };

export interface PinResult {
  messageId: string;
  handle: string;
  role: Message['role'];
  /** How the message begins. */
  text: string;
  /** False: it was so already. */
  changed: boolean;
  /** A compaction hid the message, and the pin brings it back. */
  wasHidden: boolean;
}
