export interface LearnedWindow {
  windowTokens: number;
  /** What the server itself reported when that was learned; null where it did not. */
  reportedTokens: number | null;
  /** Milliseconds since 1970. */
  learnedAt: number;
}

/** A server that does not report its window may have been given a larger one: after this long it is tried anew, for one refusal. */
export const LEARNED_WINDOW_DAYS = 30;

const DAY_MS = 86_400_000;

/** A learned window as long as it holds; where the server reports another length than it did then, its report is right. */
export function windowThatHolds(
  learned: LearnedWindow | undefined,
  { reportedTokens, now }: { reportedTokens: number | undefined; now: number },
): number | undefined {
  if (learned === undefined || now - learned.learnedAt >= LEARNED_WINDOW_DAYS * DAY_MS) return undefined;
  const isSameLoad = reportedTokens === undefined || reportedTokens === learned.reportedTokens;
  return isSameLoad ? learned.windowTokens : undefined;
}
