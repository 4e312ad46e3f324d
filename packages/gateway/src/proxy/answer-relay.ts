import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import type { AnswerSoFar, ObservedUsage, StreamWatch } from '../compaction/types.ts';

export type RelayEnd =
  | { kind: 'ended' }
  /** The window is nearly full and the answer is not finished, or the server has broken it off for this reason. */
  | { kind: 'stop'; soFar: AnswerSoFar; error?: LonghaulError }
  /** The window is full. */
  | { kind: 'over'; soFar: AnswerSoFar }
  /** The stream contains an error instead of an answer. The error has not been sent. */
  | { kind: 'refused'; error: LonghaulError; rest: Buffer; answer: IncomingMessage }
  /** The upstream broke off. */
  | { kind: 'broken'; error: LonghaulError };

/** Passes the streams of one answer on to the client and watches them. */
export interface AnswerRelay {
  /** Usage of the last relayed stream. */
  readonly usage: ObservedUsage | undefined;
  /** An error event was passed on, so the client knows that the answer has failed. */
  readonly hadError: boolean;
  relay(answer: IncomingMessage, watch: StreamWatch | undefined): Promise<RelayEnd>;
  /**
   * Announces that the next stream continues this answer. If the stopped stream has not reported its usage, the
   * estimate replaces it.
   */
  continueAnswer(estimate: ObservedUsage): void;
  /** Ends the answer with a notice, as one whose maximum length is reached. */
  endAtLength(notice: string): Promise<void>;
}
