import { type Compaction, isMessageMark, type Mark } from '@longhaul/protocol';

/**
 * Returns the marks that a view needs, in their order: the newest active compaction; the newest compaction even if it
 * was undone, because it postpones the next one; and the active pins and part marks of visible messages. Older
 * compactions are not needed, because a compaction lists every message that is hidden, including those hidden by
 * earlier ones.
 */
export function shownMarks(marks: readonly Mark[], hidden: ReadonlySet<string>): Mark[] {
  const isNeeded = neededCompactions(marks.filter((mark) => mark.kind === 'compaction'));
  return marks.flatMap((mark): Mark[] => {
    if (mark.kind === 'revert') return [];
    if (isMessageMark(mark)) return mark.undoneAt === undefined && !hidden.has(mark.messageId) ? [mark] : [];
    if (!isNeeded(mark)) return [];
    return [mark.undoneAt === undefined ? mark : { ...mark, hides: [] }];
  });
}

/** Returns the ids of currently hidden messages. */
export function hiddenIds(marks: readonly Mark[]): ReadonlySet<string> {
  const active = marks.filter((mark) => mark.undoneAt === undefined);
  const compaction = active.findLast((mark) => mark.kind === 'compaction');
  const pinned = new Set(active.flatMap((mark) => (mark.kind === 'pin' ? [mark.messageId] : [])));
  return new Set(compaction?.hides.filter((id) => !pinned.has(id)));
}

/** Returns a test for the compactions that a view needs. `all` must be in order. */
function neededCompactions<C extends Pick<Compaction, 'id'> & { undoneAt?: number | null | undefined }>(
  all: readonly C[],
): (compaction: Pick<Compaction, 'id'>) => boolean {
  const newest = all.at(-1)?.id;
  const active = all.findLast(({ undoneAt }) => undoneAt === undefined || undoneAt === null)?.id;
  return ({ id }) => id === newest || id === active;
}
