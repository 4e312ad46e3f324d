import type { Compaction, Mark } from '@longhaul/protocol';

/** A mark, its hidden messages named as its store names them. */
export type MarkHiding<Hidden> = Exclude<Mark, Compaction> | CompactionHiding<Hidden>;

export type CompactionHiding<Hidden> = Omit<Compaction, 'hides'> & { hides: Hidden[] };

export interface MarkForkOptions<Hidden> {
  sessionId: string;
  /** New ids of the copied messages, by their old ones. */
  messageIds: ReadonlyMap<string, string>;
  newId: () => string;
  /** When the first message that is not copied came: a compaction made after it knows what the fork must not. */
  before: number;
  /** What a name of hidden messages is in the fork; undefined where they are not there. */
  hiddenThere: (hidden: Hidden) => Hidden | undefined;
}

/** Makes of a session's marks those that hold in a fork, on its own messages. */
export interface MarkFork<Hidden> {
  /** To be told of every compaction first: a mark made in the same moment may stand before the one it belongs to. */
  meet(compaction: CompactionHiding<Hidden>): void;
  /** Undefined when it does not hold there. */
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
      if (mark.kind === 'pin' || mark.compactionId === undefined) return { ...mark, id: newId(), messageId };
      const compactionId = compactionIds.get(mark.compactionId);
      return compactionId === undefined ? undefined : { ...mark, id: newId(), messageId, compactionId };
    },
  };
}
