import type { Mark } from '@longhaul/protocol';

export interface ForkedMarksOptions {
  sessionId: string;
  /** New ids of the copied messages, by their old ones. */
  messageIds: ReadonlyMap<string, string>;
  newId: () => string;
  /** When the first message that is not copied came: a compaction made after it knows what the fork must not. */
  before: number;
}

/** The marks that hold in a fork, on its own messages. */
export function forkedMarks(
  marks: readonly Mark[],
  { sessionId, messageIds, newId, before }: ForkedMarksOptions,
): Mark[] {
  const compactionIds = new Map<string, string>();
  const forked: Mark[] = [];
  // Compactions first: a mark made in the same moment may stand before the one it belongs to.
  for (const mark of marks) {
    const isKept =
      mark.kind === 'compaction' && mark.createdAt <= before && mark.hides.every((id) => messageIds.has(id));
    if (isKept) compactionIds.set(mark.id, newId());
  }
  for (const mark of marks) {
    if (mark.kind === 'compaction') {
      const id = compactionIds.get(mark.id);
      const hides = mark.hides.flatMap((hidden) => messageIds.get(hidden) ?? []);
      if (id !== undefined) forked.push({ ...mark, id, sessionId, hides });
      continue;
    }
    const messageId = messageIds.get(mark.messageId);
    if (messageId === undefined) continue;
    if (mark.kind === 'pin' || mark.compactionId === undefined) {
      forked.push({ ...mark, id: newId(), messageId });
      continue;
    }
    const compactionId = compactionIds.get(mark.compactionId);
    if (compactionId !== undefined) forked.push({ ...mark, id: newId(), messageId, compactionId });
  }
  return forked;
}
