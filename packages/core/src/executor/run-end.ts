import type { LonghaulError, RunStatus, SessionStatus } from '@longhaul/protocol';

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
