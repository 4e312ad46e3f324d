import type { FinishReason, LonghaulError, RunStatus, SessionStatus, TokenUsage } from '@longhaul/protocol';

/** How a run ended, and what it used. */
export interface ExecutorResult {
  status: RunStatus;
  /** Completed model calls, without the closing note after a limit. */
  stepCount: number;
  usage: TokenUsage;
  /** US dollars. Absent if the price of the model is unknown. */
  cost?: number;
  finishReason?: FinishReason;
  /** The final answer; at a limit, the closing note; otherwise the last text of the model. */
  text: string;
  error?: LonghaulError;
  compactions: number;
  /** How often the model was asked to continue work that its answer left undone: 0 or 1. */
  continuationAsks?: number;
}

/** Why a run stops. */
export interface RunEnd {
  status: RunStatus;
  /** Present unless the status is `completed`. */
  error?: LonghaulError;
}

/**
 * Returns the session's status after a run. After a limit or an interruption it is `active`, so the session can be
 * resumed.
 */
export function sessionStatusAfter(status: RunStatus): SessionStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled' ? status : 'active';
}
