import type { PlacedPatch, RecordedTrees } from '@longhaul/context/engine';
import type { FileChange } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';

/** What the log says of a session's files and branches. */
export interface SessionRecord extends RecordedTrees {
  /** Sequence of the log's last message. */
  last: number;
}

export async function loadRecord(
  store: Pick<Store, 'readMessages' | 'readMarks' | 'listPatches'>,
  sessionId: string,
): Promise<SessionRecord> {
  const [{ messages }, { marks }, patches] = await Promise.all([
    store.readMessages(sessionId, { limit: 1 }),
    store.readMarks(sessionId),
    store.listPatches(sessionId),
  ]);
  return { last: messages.at(-1)?.sequence ?? 0, marks, patches };
}

/** A patch is leading if it precedes the work of its message. */
export function withLeading(patches: readonly PlacedPatch[]): (PlacedPatch & { isLeading: boolean })[] {
  const worked = new Set<number>();
  return patches.map((patch) => {
    if (patch.part.byAgent || patch.part.atRevert === true) worked.add(patch.sequence);
    return { ...patch, isLeading: !worked.has(patch.sequence) };
  });
}

/** Returns the paths that a change concerns. */
export function pathsOf({ path, from }: FileChange): string[] {
  return from === undefined ? [path] : [path, from];
}
