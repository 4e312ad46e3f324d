export interface LearnedWindow {
  windowTokens: number;
  /** The window that the server reported when the window was learned; null if it reported none. */
  reportedTokens: number | null;
  /** Milliseconds since 1970. */
  learnedAt: number;
}

/**
 * A learned window expires after this time, because the server may have been given a larger one. Retrying costs at most
 * one refusal.
 */
const LEARNED_WINDOW_DAYS = 30;

const DAY_MS = 86_400_000;

/**
 * Returns the learned window unless it has expired or the server now reports a window other than
 * `learned.reportedTokens`.
 */
export function windowThatHolds(
  learned: LearnedWindow | undefined,
  { reportedTokens, now }: { reportedTokens: number | undefined; now: number },
): number | undefined {
  if (learned === undefined || now - learned.learnedAt >= LEARNED_WINDOW_DAYS * DAY_MS) return undefined;
  const isSameLoad = reportedTokens === undefined || reportedTokens === learned.reportedTokens;
  return isSameLoad ? learned.windowTokens : undefined;
}
