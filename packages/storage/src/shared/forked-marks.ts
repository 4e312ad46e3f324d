import type { Compaction, Mark } from '@longhaul/protocol';

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
  /** Maps hidden messages to the fork; returns undefined if the fork does not have them. */
  hiddenThere: (hidden: Hidden) => Hidden | undefined;
}

/** Copies a session's marks to a fork, with references to the fork's messages. */
export interface MarkFork<Hidden> {
  /** Call this for every compaction before the first `fork`: a mark may precede the compaction that it belongs to. */
  meet(compaction: CompactionHiding<Hidden>): void;
  /** Returns undefined if the mark does not apply to the fork. */
  fork(mark: MarkHiding<Hidden>): MarkHiding<Hidden> | undefined;
}

export function createMarkFork<Hidden>({
  sessionId,
  messageIds,
  newId,
  before,
  hiddenThere,
}: MarkForkOptions<Hidden>): MarkFork<Hidden> {
  const compactionIds = new Map<string, string>();
  return {
    meet({ id, createdAt, hides }) {
      const isKept = createdAt <= before && hides.every((hidden) => hiddenThere(hidden) !== undefined);
      if (isKept) compactionIds.set(id, newId());
    },
    fork(mark) {
      if (mark.kind === 'compaction') {
        const id = compactionIds.get(mark.id);
        const hides = mark.hides.map(hiddenThere).filter((hidden) => hidden !== undefined);
        return id === undefined ? undefined : { ...mark, id, sessionId, hides };
      }
      const messageId = messageIds.get(mark.messageId);
      if (messageId === undefined) return undefined;
      if (!('compactionId' in mark) || mark.compactionId === undefined)
        return { ...mark, id: newId(), messageId };
      const compactionId = compactionIds.get(mark.compactionId);
      return compactionId === undefined ? undefined : { ...mark, id: newId(), messageId, compactionId };
    },
  };
}
