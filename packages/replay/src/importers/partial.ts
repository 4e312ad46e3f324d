import type { ImportReport } from './report.ts';

/** A file of which less was read is a failure, because its numbers would be those of another session. */
const MIN_SHARE = 0.9;
const MAX_REASONS = 3;

/**
 * Returns why a file counts as read only in part, or undefined if at least 90 % of its visible characters and of its
 * calls were read. Call it when all messages have been read.
 */
export function partialProblem({ visibleChars, calls, unread, skipped }: ImportReport): string | undefined {
  const allChars = visibleChars + unread.chars;
  const allCalls = calls + unread.calls;
  if (visibleChars >= allChars * MIN_SHARE && calls >= allCalls * MIN_SHARE) return undefined;
  const reasons = skipped
    .toSorted((left, right) => right.count - left.count)
    .slice(0, MAX_REASONS)
    .map(({ reason, count }) => `${count} × ${reason}`);
  const figures = `${grouped(visibleChars)} of ${grouped(allChars)} visible characters and ${grouped(calls)} of ${grouped(allCalls)} calls`;
  return `Only a part of it can be read: ${figures}. Not read: ${reasons.join('; ')}. To use the part, pass --partial.`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
