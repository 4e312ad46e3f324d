import { headOf, isOnPath, livePath } from '@longhaul/context/engine';
import type { Mark, RevertMark } from '@longhaul/protocol';

/** Consecutive messages of a session that follow each other in one branch. Both ends are inclusive. */
export interface Branch {
  first: number;
  last: number;
  /** The message that the branch continues from. 0: it is the beginning of the session. */
  parent: number;
  /** The last message of the branch that is in the conversation now. Absent: none is. */
  liveUntil?: number;
}

/** The branches of a conversation, which reverts begin. */
export interface ConversationTree {
  /** In the order in which they were begun. */
  branches: Branch[];
  /** The conversation continues after this message. */
  head: number;
  /** Whether there is a revert that can be taken back. */
  canUnrevert: boolean;
}

/** Returns the branches that the reverts of a session made. */
export function branchesOf(marks: readonly Mark[], last: number): ConversationTree {
  const path = livePath(marks);
  const starts = [...new Set([1, ...revertsOf(marks).map(({ at }) => at + 1)])].filter(
    (start) => start <= last,
  );
  const branches = starts
    .sort((a, b) => a - b)
    .map((first, index, all): Branch => {
      const end = (all[index + 1] ?? last + 1) - 1;
      const live = lastLive(path, first, end);
      return {
        first,
        last: end,
        parent: parentOf(marks, first),
        ...(live !== undefined && { liveUntil: live }),
      };
    });
  return { branches, head: headOf(marks, last), canUnrevert: newestRevert(marks) !== undefined };
}

/** Returns the message that precedes a message in its branch. 0: none. */
export function parentOf(marks: readonly Mark[], sequence: number): number {
  return revertsOf(marks).findLast(({ at }) => at === sequence - 1)?.to ?? sequence - 1;
}

/** Returns the newest revert that was not taken back. */
export function newestRevert(marks: readonly Mark[]): RevertMark | undefined {
  const reverts = revertsOf(marks);
  const undone = new Set(reverts.flatMap(({ undoes }) => undoes ?? []));
  return reverts.findLast(({ id, undoes }) => undoes === undefined && !undone.has(id));
}

/** Returns how many messages of the conversation follow `to`, up to its head. */
export function countBetween(marks: readonly Mark[], to: number, head: number): number {
  return livePath(marks).reduce((sum, [first, last]) => {
    const from = Math.max(first, to + 1);
    return sum + Math.max(0, Math.min(last, head) - from + 1);
  }, 0);
}

function lastLive(path: ReturnType<typeof livePath>, first: number, last: number): number | undefined {
  for (let sequence = last; sequence >= first; sequence -= 1) if (isOnPath(path, sequence)) return sequence;
  return undefined;
}

function revertsOf(marks: readonly Mark[]): RevertMark[] {
  return marks.filter((mark) => mark.kind === 'revert');
}
