import { LonghaulError } from '@longhaul/protocol';

export function cancelled(): LonghaulError {
  return new LonghaulError(
    'cancelled',
    'The run was cancelled. What was done so far is kept in the session.',
  );
}

/** A run that its own process ends early, to be gone on with later. As an abort's reason it keeps the run from ending as cancelled. */
export function interrupted(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'The program that drove the session stopped. What was done so far is kept: resume the session to go on.',
  );
}

/** A run whose session another took over, after this one was silent for too long. */
export function takenOver(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'Another process took the session over, since this one had been silent for too long. What was stored is kept.',
  );
}

/** A run that whoever takes the session next finds without an end. */
export function leftOpen(): LonghaulError {
  return new LonghaulError(
    'interrupted',
    'The program that drove the session died, or was silent for too long, and another process took the session over. What was stored is kept.',
  );
}

/** The interruption that a signal was aborted with, if it was. */
export function interruptionOf({ reason }: AbortSignal): LonghaulError | undefined {
  return reason instanceof LonghaulError && reason.code === 'interrupted' ? reason : undefined;
}
