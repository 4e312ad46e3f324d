import { LonghaulError, toLonghaulError } from '@longhaul/protocol';

export function cancelled(): LonghaulError {
  return new LonghaulError('cancelled', 'The run was cancelled. The work so far is kept in the session.');
}

/**
 * The process stops and ends the run early. As the reason of an abort, it makes the run end as interrupted instead of
 * cancelled.
 */
export function interrupted(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'The program that ran the session stopped. The work so far is kept: resume the session to continue.',
  );
}

/** Another process took the session, because this one did not renew its lease in time. */
export function takenOver(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'Another process took over the session, because this one did not renew its lease in time. The stored work is kept.',
  );
}

/** Returns `takenOver` for a write that was refused because the session was taken (`lease_lost`), else the error. */
export function asTakenOver(thrown: unknown): LonghaulError {
  const error = toLonghaulError(thrown);
  return error.code === 'lease_lost' ? takenOver() : error;
}

/** The end of a run that the next run, or a cancel, finds open. */
export function leftOpen(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'The program that ran the session died, or did not renew its lease in time, and another process took over. The stored work is kept.',
  );
}

/** Returns the interruption that is the signal's abort reason, or undefined. */
export function interruptionOf({ reason }: AbortSignal): LonghaulError | undefined {
  return reason instanceof LonghaulError && reason.code === 'interrupted' ? reason : undefined;
}
