import type { LonghaulError } from '@longhaul/protocol';

/** Most tokens that a run may still write when it has reached a limit. */
export const CLOSING_NOTE_TOKENS = 1_500;

/** Why calls of the last step are not run. */
export const NO_MORE_TOOLS = 'Not run: the run had reached its limit, and no tool may be called after it.';

const MAX_GRACE_MS = 120_000;
const MIN_GRACE_MS = 1_000;

/** How long the last step may take. At a limit of time, no more than a tenth of it. */
export function graceMs(minutes: number | null): number {
  if (minutes === null) return MAX_GRACE_MS;
  return Math.min(MAX_GRACE_MS, Math.max(MIN_GRACE_MS, Math.ceil(minutes * 6_000)));
}

/** Asks the model to write down where the work stands. */
export function closingNoteRequest({ message }: LonghaulError): string {
  return `${message}\nThis is the last answer of this run, and no tool can be called any more. Write down, in under 300 words, where the work stands, for whoever goes on with it: what is done, what was found out, what is missing, and what to do next. Say plainly what is not finished or not tested.`;
}
