import type { Compaction, Mark } from '@longhaul/protocol';

/** What a view needs of a session's marks, in their order. */
export interface ViewMarks {
  /** Ids of messages that are hidden now. */
  hidden: ReadonlySet<string>;
  shownMarks: Mark[];
}

/**
 * The newest compaction that holds, the newest of all where that was undone (it postpones the next one), the pins, and the marks on parts of
 * what is shown. A compaction names all that it hides, those before it included: older ones add nothing.
 */
export function viewMarks(marks: readonly Mark[]): ViewMarks {
  const isNeeded = neededCompactions(marks.filter((mark) => mark.kind === 'compaction'));
  const active = marks.filter((mark) => mark.undoneAt === undefined);
  const compaction = active.findLast((mark) => mark.kind === 'compaction');
  const pinned = new Set(active.flatMap((mark) => (mark.kind === 'pin' ? [mark.messageId] : [])));
  const hidden = new Set(compaction?.hides.filter((id) => !pinned.has(id)) ?? []);
  const shownMarks = marks.flatMap((mark): Mark[] => {
    if (mark.kind !== 'compaction')
      return mark.undoneAt === undefined && !hidden.has(mark.messageId) ? [mark] : [];
    if (!isNeeded(mark)) return [];
    return [mark.undoneAt === undefined ? mark : { ...mark, hides: [] }];
  });
  return { hidden, shownMarks };
}

/** Tells the compactions that a view needs, of all in their order. */
export function neededCompactions<
  C extends Pick<Compaction, 'id'> & { undoneAt?: number | null | undefined },
>(all: readonly C[]): (compaction: Pick<Compaction, 'id'>) => boolean {
  const newest = all.at(-1)?.id;
  const active = all.findLast(({ undoneAt }) => undoneAt === undefined || undoneAt === null)?.id;
  return ({ id }) => id === newest || id === active;
}
