import type { Compaction, Mark } from '@longhaul/protocol';

/**
 * What a view needs of a session's marks, in their order: the newest compaction that holds, the newest of all where that was undone (it
 * postpones the next one), the pins, and the marks on parts of what is shown. A compaction names all that it hides, those before it
 * included: older ones add nothing.
 */
export function shownMarks(marks: readonly Mark[], hidden: ReadonlySet<string>): Mark[] {
  const isNeeded = neededCompactions(marks.filter((mark) => mark.kind === 'compaction'));
  return marks.flatMap((mark): Mark[] => {
    if (mark.kind !== 'compaction')
      return mark.undoneAt === undefined && !hidden.has(mark.messageId) ? [mark] : [];
    if (!isNeeded(mark)) return [];
    return [mark.undoneAt === undefined ? mark : { ...mark, hides: [] }];
  });
}

/** Ids of messages that are hidden now. */
export function hiddenIds(marks: readonly Mark[]): ReadonlySet<string> {
  const active = marks.filter((mark) => mark.undoneAt === undefined);
  const compaction = active.findLast((mark) => mark.kind === 'compaction');
  const pinned = new Set(active.flatMap((mark) => (mark.kind === 'pin' ? [mark.messageId] : [])));
  return new Set(compaction?.hides.filter((id) => !pinned.has(id)));
}

/** Tells the compactions that a view needs, of all in their order. */
export function neededCompactions<
  C extends Pick<Compaction, 'id'> & { undoneAt?: number | null | undefined },
>(all: readonly C[]): (compaction: Pick<Compaction, 'id'>) => boolean {
  const newest = all.at(-1)?.id;
  const active = all.findLast(({ undoneAt }) => undoneAt === undefined || undoneAt === null)?.id;
  return ({ id }) => id === newest || id === active;
}
