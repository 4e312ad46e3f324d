/**
 * `failed`: no task can be run. `damaged`: tasks can be run, but stored content is lost. `missing`: tasks can be run,
 * but something is recommended.
 */
export type CheckStatus = 'ok' | 'missing' | 'damaged' | 'failed';

export interface Check {
  name: string;
  status: CheckStatus;
  /** The finding. */
  detail: string;
  /** How to solve the problem. */
  remedy?: string;
}

/** Returns a failed check with the message of an error. */
export function failedCheck(name: string, error: unknown): Check {
  return { name, status: 'failed', detail: error instanceof Error ? error.message : String(error) };
}
