import type { FinishReason, LonghaulError, RunStatus, SessionStatus, TokenUsage } from '@longhaul/protocol';

export interface ExecutorResult {
  status: RunStatus;
  /** Model calls that ended well; the last one after a limit, which only writes down where the work stands, is none. */
  stepCount: number;
  usage: TokenUsage;
  /** US dollars; absent when the model's price is unknown. */
  cost?: number;
  finishReason?: FinishReason;
  /** The final answer. At a limit, where the work stands; else what was said last. */
  text: string;
  error?: LonghaulError;
  compactions: number;
}

/** Why a run stops. */
export interface RunEnd {
  status: RunStatus;
  /** Always there unless the status is `completed`. */
  error?: LonghaulError;
}

/** What becomes of the session: one that was stopped at a limit can go on. */
export function sessionStatusAfter(status: RunStatus): SessionStatus {
  return status === 'completed' || status === 'failed' || status === 'cancelled' ? status : 'active';
}
