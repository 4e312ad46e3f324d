import { activeMarks, isOnPath, liveMarks, livePath } from '@longhaul/context/engine';
import { type Compaction, handleOf, type Mark, type Message } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import type { MessagePage, Store } from '../ports/index.ts';

/** Returns a page of messages, each with what its model sees of it. */
export async function listMessages(
  store: Pick<Store, 'readMessages' | 'readMarks'>,
  sessionId: string,
  { limit, before, after }: MessagePage,
): Promise<{ messages: ListedMessage[]; hasMore: boolean }> {
  const page = await store.readMessages(sessionId, { limit: limit + 1, before, after });
  const hasMore = page.messages.length > limit;
  // The query reads one extra message, at the far end of the page, to detect whether there are more.
  const messages = after === undefined ? page.messages.slice(-limit) : page.messages.slice(0, limit);
  const { marks } = await store.readMarks(sessionId);
  return { messages: withVisibility(messages, marks), hasMore };
}

function withVisibility(messages: readonly Message[], marks: readonly Mark[]): ListedMessage[] {
  const { hidden, pinned } = activeMarks(marks);
  const path = livePath(marks);
  const active = liveMarks(marks).filter((mark) => mark.undoneAt === undefined);
  const partsOf = (kind: 'prune' | 'cut' | 'omit', messageId: string) => {
    const indexes = active.flatMap((mark) =>
      mark.kind === kind && mark.messageId === messageId ? [mark.partIndex] : [],
    );
    return [...new Set(indexes)];
  };
  const hiding = hidingOf(new Set(messages.flatMap(({ id }) => (hidden.has(id) ? [id] : []))), active);
  return messages.map((message) => {
    const by = hiding.get(message.id);
    return {
      ...message,
      visibility: {
        handle: handleOf(message.sequence),
        hiddenBy: by,
        isReverted: !isOnPath(path, message.sequence),
        isPinned: pinned.has(message.id),
        prunedParts: partsOf('prune', message.id),
        cutParts: partsOf('cut', message.id),
        omittedParts: partsOf('omit', message.id),
      },
    };
  });
}

/**
 * Maps each hidden message to the first compaction that hid it. A compaction also hides what the ones before it hid, so
 * few of them are read: a store may compute each list.
 */
function hidingOf(messageIds: ReadonlySet<string>, marks: readonly Mark[]): Map<string, string> {
  const compactions = marks.filter((mark) => mark.kind === 'compaction');
  const known = new Map<Compaction, ReadonlySet<string>>();
  const hides = (compaction: Compaction | undefined, id: string): boolean => {
    if (compaction === undefined) return false;
    const hidden = known.get(compaction) ?? new Set(compaction.hides.filter((each) => messageIds.has(each)));
    known.set(compaction, hidden);
    return hidden.has(id);
  };
  const hiding = new Map<string, string>();
  for (const id of messageIds) {
    let [first, last] = [0, compactions.length - 1];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (hides(compactions[middle], id)) last = middle;
      else first = middle + 1;
    }
    const found = compactions[first];
    if (found !== undefined && hides(found, id)) hiding.set(id, found.id);
  }
  return hiding;
}
