import type { StopReason } from '@agentclientprotocol/sdk';
import type { ExecutorResult } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Returns why a turn ended.
 *
 * @throws {LonghaulError} The failure of the run. The protocol has no reason for that, so the request fails.
 */
export function stopReasonOf({ status, finishReason, error }: ExecutorResult): StopReason {
  switch (status) {
    case 'completed':
      if (finishReason === 'length') return 'max_tokens';
      return finishReason === 'content-filter' ? 'refusal' : 'end_turn';
    case 'cancelled':
      return 'cancelled';
    case 'limit':
      return 'max_turn_requests';
    default:
      throw error ?? new LonghaulError('internal', `The run ended as ${status}, without a reason.`);
  }
}
