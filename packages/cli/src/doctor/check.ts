/** `failed`: a task cannot be run because of it. `missing`: it would be good to have. */
export type CheckStatus = 'ok' | 'missing' | 'failed';

export interface Check {
  name: string;
  status: CheckStatus;
  /** What was found. */
  detail: string;
  /** What to do about it. */
  remedy?: string;
}

/** Of what was thrown, as far as a person needs it. */
export function failedCheck(name: string, error: unknown): Check {
  return { name, status: 'failed', detail: error instanceof Error ? error.message : String(error) };
}
