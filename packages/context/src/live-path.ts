import type { Mark, RevertMark } from '@longhaul/protocol';

/**
 * The live path of a session: the messages of its conversation. The log only grows, and reverts move the end of the
 * conversation back to an earlier message. Messages that are not on the path are *reverted*.
 *
 * Reverts divide a session into stretches, in which messages and marks follow each other without a jump. The live path
 * is the newest stretch, and of each stretch before it the beginning that it continues from. Whether a mark counts
 * follows from its stretch too, so it does not depend on clocks, except within a stretch that was left in its middle.
 */

/** Consecutive sequences. Both ends are inclusive. */
export type LiveRange = [first: number, last: number];

/** The live part of a stretch. */
interface Stretch {
  /** How many reverts precede it. */
  index: number;
  range: LiveRange;
  /** Marks of the stretch count if they were made before this time. Infinity: all of them count. */
  until: number;
}

/** Where a revert continues from: the end of a stretch, or a message in it. */
interface Origin {
  index: number;
  /** Absent: all of the stretch. */
  cut?: { after: number; time: number };
}

/** The last message of any session. The newest stretch includes all messages to come. */
const NO_END = Number.MAX_SAFE_INTEGER;

/**
 * Returns the sequences of the live messages in ascending order, as few ranges as possible. The last range has no end:
 * it includes the next message.
 *
 * @param marks The session's marks in the order of their creation. Only the reverts matter.
 */
export function livePath(marks: readonly Mark[]): LiveRange[] {
  const ranges: LiveRange[] = [];
  for (const { range } of liveStretches(revertsOf(marks))) {
    const previous = ranges.at(-1);
    if (range[0] > range[1]) continue;
    if (previous !== undefined && previous[1] === range[0] - 1) previous[1] = range[1];
    else ranges.push([...range]);
  }
  return ranges;
}

/** Returns the sequences that are not in the path, up to the last range of it. */
export function revertedRanges(path: readonly LiveRange[]): LiveRange[] {
  let next = 1;
  return path.flatMap(([first, last]): LiveRange[] => {
    const before: LiveRange = [next, first - 1];
    next = last + 1;
    return before[0] <= before[1] ? [before] : [];
  });
}

/** Returns whether the message with a sequence number is part of the live conversation. */
export function isOnPath(path: readonly LiveRange[], sequence: number): boolean {
  return path.some(([first, last]) => sequence >= first && sequence <= last);
}

/** Returns the sequence of the conversation's last message, or 0. `last` is that of the log's last message. */
export function headOf(marks: readonly Mark[], last: number): number {
  const newest = livePath(marks).findLast(([first]) => first <= last);
  return newest === undefined ? 0 : Math.min(newest[1], last);
}

/**
 * Returns the marks that were made on the live path, without the reverts. Without a revert, returns `marks` itself. A
 * mark that was undone stays undone, wherever it was undone.
 */
export function liveMarks(marks: readonly Mark[]): readonly Mark[] {
  const reverts = revertsOf(marks);
  if (reverts.length === 0) return marks;
  const isLive = createLiveTest(reverts);
  let precedingReverts = 0;
  return marks.filter((mark) => {
    if (mark.kind !== 'revert') return isLive({ precedingReverts, time: timeOf(mark) });
    precedingReverts += 1;
    return false;
  });
}

/** When a mark was made: after how many of the session's reverts, and its time. */
export interface MarkPlace {
  precedingReverts: number;
  time: number;
}

/** Returns a test for marks that were made on the live path. */
export function createLiveTest(reverts: readonly RevertMark[]): (place: MarkPlace) => boolean {
  const untilByIndex = new Map(liveStretches(reverts).map(({ index, until }) => [index, until]));
  return ({ precedingReverts, time }) =>
    time < (untilByIndex.get(precedingReverts) ?? Number.NEGATIVE_INFINITY);
}

function revertsOf(marks: readonly Mark[]): RevertMark[] {
  return marks.filter((mark) => mark.kind === 'revert');
}

function timeOf(mark: Exclude<Mark, RevertMark>): number {
  return mark.kind === 'prune' ? mark.compactedAt : mark.createdAt;
}

/** Returns the live stretches, oldest first. */
function liveStretches(reverts: readonly RevertMark[]): Stretch[] {
  const found: Stretch[] = [];
  let origin: Origin = { index: reverts.length };
  for (;;) {
    const { index, cut } = origin;
    const [first, last] = messagesOf(reverts, index);
    found.push({ index, range: [first, Math.min(last, cut?.after ?? last)], until: cut?.time ?? NO_END });
    if (index === 0) return found.reverse();
    origin = originOf(reverts, index);
  }
}

/** Returns the messages that were appended in a stretch. */
function messagesOf(reverts: readonly RevertMark[], index: number): LiveRange {
  return [(reverts[index - 1]?.at ?? 0) + 1, reverts[index]?.at ?? NO_END];
}

/** Returns the last message of the conversation at the end of a stretch. */
function endOf(reverts: readonly RevertMark[], index: number): number {
  const [first, last] = messagesOf(reverts, index);
  return first <= last ? last : (reverts[index - 1]?.to ?? 0);
}

/** Returns where a stretch, which begins with a revert, continues from. It is always an earlier stretch. */
function originOf(reverts: readonly RevertMark[], index: number): Origin {
  const revert = reverts[index - 1];
  if (revert === undefined) return { index: 0 };
  const { to, undoes, branchedAt } = revert;
  const undone = undoes === undefined ? -1 : reverts.findIndex(({ id }) => id === undoes);
  if (undone !== -1 && undone < index && endOf(reverts, undone) === to) return { index: undone };
  // Only files were restored.
  if (endOf(reverts, index - 1) === to) return { index: index - 1 };
  const within = reverts.slice(0, index).findIndex(({ at }) => at >= to);
  const stretch = within === -1 ? index - 1 : within;
  if (endOf(reverts, stretch) === to) return { index: stretch };
  // Without the time, no mark of the stretch counts: a mark made later may show facts of reverted messages.
  return { index: stretch, cut: { after: to, time: branchedAt ?? Number.NEGATIVE_INFINITY } };
}
