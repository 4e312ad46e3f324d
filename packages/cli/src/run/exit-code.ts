import { ERROR_TRAITS, type ErrorShape, type RunStatus } from '@longhaul/protocol';

/** Returns the exit code of a run that has ended. */
export function exitCodeOf({
  status,
  error,
}: {
  status: RunStatus;
  error?: Pick<ErrorShape, 'code'>;
}): number {
  if (status === 'completed') return 0;
  if (status === 'cancelled') return ERROR_TRAITS.cancelled.exitCode;
  if (status === 'limit') return ERROR_TRAITS.limit_reached.exitCode;
  return error === undefined ? 1 : ERROR_TRAITS[error.code].exitCode;
}
