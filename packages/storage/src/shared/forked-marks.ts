import type { Compaction, Mark, RevertMark } from '@longhaul/protocol';

/** A mark whose hidden messages are in the store's own representation. */
export type MarkHiding<Hidden> = Exclude<Mark, Compaction> | CompactionHiding<Hidden>;

export type CompactionHiding<Hidden> = Omit<Compaction, 'hides'> & { hides: Hidden[] };

export interface MarkForkOptions<Hidden> {
  sessionId: string;
  /** New ids of the copied messages, by old id. */
  messageIds: ReadonlyMap<string, string>;
  newId: () => string;
  /**
   * Creation time of the first message that is not copied. A later compaction may summarize messages that are not in
   * the fork.
   */
  before: number;
  /** Reverts are copied if the log had at most this many messages when they were made. */
  until: number;
  /** Maps hidden messages to the fork; returns undefined if the fork does not have them. */
  hiddenThere: (hidden: Hidden) => Hidden | undefined;
}

/** Copies a session's marks to a fork, with references to the fork's messages. */
export interface MarkFork<Hidden> {
  /**
   * Call this for every mark, in order, before the first `fork`: a mark may precede the compaction that it belongs to.
   */
  meet(mark: MarkHiding<Hidden>): void;
  /** Returns undefined if the mark does not apply to the fork. */
  fork(mark: MarkHiding<Hidden>): MarkHiding<Hidden> | undefined;
}

export function createMarkFork<Hidden>({
  sessionId,
  messageIds,
  newId,
  before,
  until,
  hiddenThere,
}: MarkForkOptions<Hidden>): MarkFork<Hidden> {
  const compactionIds = new Map<string, string>();
  /** A revert that is not copied was met: later compactions are of another branch. */
  let hasLeft = false;
  const revertIds = new Map<string, string>();
  const forkRevert = (mark: RevertMark): RevertMark | undefined => {
    if (mark.at > until) return undefined;
    const id = newId();
    revertIds.set(mark.id, id);
    const undoes = revertIds.get(mark.undoes ?? '');
    return undoes === undefined ? { ...mark, id } : { ...mark, id, undoes };
  };
  return {
    meet(mark) {
      if (mark.kind === 'revert') hasLeft ||= mark.at > until;
      if (mark.kind !== 'compaction') return;
      const { id, createdAt, hides } = mark;
      const isKept =
        !hasLeft && createdAt <= before && hides.every((hidden) => hiddenThere(hidden) !== undefined);
      if (isKept) compactionIds.set(id, newId());
    },
    fork(mark) {
      if (mark.kind === 'compaction') {
        const id = compactionIds.get(mark.id);
        const hides = mark.hides.map(hiddenThere).filter((hidden) => hidden !== undefined);
        return id === undefined ? undefined : { ...mark, id, sessionId, hides };
      }
      if (mark.kind === 'revert') return forkRevert(mark);
      const messageId = messageIds.get(mark.messageId);
      if (messageId === undefined) return undefined;
      if (!('compactionId' in mark) || mark.compactionId === undefined)
        return { ...mark, id: newId(), messageId };
      const compactionId = compactionIds.get(mark.compactionId);
      return compactionId === undefined ? undefined : { ...mark, id: newId(), messageId, compactionId };
    },
  };
}
