import { isExpired } from './learned.ts';

export interface LearnedWindow {
  windowTokens: number;
  /** The window that the server reported when the window was learned; null if it reported none. */
  reportedTokens: number | null;
  /** Milliseconds since 1970. */
  learnedAt: number;
}

/**
 * Returns the learned window unless it has expired or the server now reports a window other than
 * `learned.reportedTokens`.
 */
export function windowThatHolds(
  learned: LearnedWindow | undefined,
  { reportedTokens, now }: { reportedTokens: number | undefined; now: number },
): number | undefined {
  if (learned === undefined || isExpired(learned, now)) return undefined;
  const isSameLoad = reportedTokens === undefined || reportedTokens === learned.reportedTokens;
  return isSameLoad ? learned.windowTokens : undefined;
}
