import { LonghaulError } from '@longhaul/protocol';

/** How a run can end other than with an answer, in words. */

export function cancelled(): LonghaulError {
  return new LonghaulError(
    'cancelled',
    'The run was cancelled. What was done so far is kept in the session.',
  );
}

export function cancelledCompaction(): LonghaulError {
  return new LonghaulError('cancelled', 'Cancelled during a compaction; the session is as it was.');
}

export function limitReached(limit: string): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The run stopped at its limit of ${limit}. What was done so far is kept.`,
  );
}

export function noProgress(compactions: number): LonghaulError {
  return new LonghaulError(
    'context_exhausted',
    `${compactions} compactions in a row without a finished step. The window is too small for this work: use a larger one.`,
  );
}

export function emptyAnswer(): LonghaulError {
  return new LonghaulError(
    'empty_answer',
    'The model answered with nothing, twice. Try again, or another model.',
  );
}

export function neverDone(times: number): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The model was cut off ${times} times in a row without finishing its answer.`,
  );
}
