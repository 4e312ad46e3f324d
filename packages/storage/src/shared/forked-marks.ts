import type { Compaction, Mark } from '@longhaul/protocol';

export interface MarkForkOptions {
  sessionId: string;
  /** New ids of the copied messages, by their old ones. */
  messageIds: ReadonlyMap<string, string>;
  newId: () => string;
  /** When the first message that is not copied came: a compaction made after it knows what the fork must not. */
  before: number;
}

/** Makes of a session's marks those that hold in a fork, on its own messages. */
export interface MarkFork {
  /** To be told of every compaction first: a mark made in the same moment may stand before the one it belongs to. */
  meet(compaction: Compaction): void;
  /** Undefined when it does not hold there. */
  fork(mark: Mark): Mark | undefined;
}

export function createMarkFork({ sessionId, messageIds, newId, before }: MarkForkOptions): MarkFork {
  const compactionIds = new Map<string, string>();
  return {
    meet({ id, createdAt, hides }) {
      const isKept = createdAt <= before && hides.every((hidden) => messageIds.has(hidden));
      if (isKept) compactionIds.set(id, newId());
    },
    fork(mark) {
      if (mark.kind === 'compaction') {
        const id = compactionIds.get(mark.id);
        const hides = mark.hides.flatMap((hidden) => messageIds.get(hidden) ?? []);
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
