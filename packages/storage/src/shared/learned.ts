/**
 * What was learned from a server's refusals expires after this time, because the server may have been changed. Learning
 * it again costs one refusal.
 */
const LEARNED_DAYS = 30;

const DAY_MS = 86_400_000;

/** @param learnedAt Milliseconds since 1970. */
export function isExpired({ learnedAt }: { learnedAt: number }, now: number): boolean {
  return now - learnedAt >= LEARNED_DAYS * DAY_MS;
}
