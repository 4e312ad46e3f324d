import { isObject, parseTreeReference } from '@longhaul/protocol';
import type { SettingsStore, WorkspaceCopy } from '../../ports/index.ts';

/** What other machines need to make a copy again. */
export type StoredCopy = Pick<WorkspaceCopy, 'workspace' | 'original' | 'tree' | 'place'>;

/** Deleted with the session that works in the copy. `gc` keeps the tree that it names. */
function keyOf(copyId: string): string {
  return `session:${copyId}:copy`;
}

/** Returns the newest folder of a copy, on whichever machine it is. Undefined: it is not known, or was discarded. */
export async function loadCopy(store: SettingsStore, copyId: string): Promise<StoredCopy | undefined> {
  const value = await store.getSetting(keyOf(copyId));
  if (!isObject(value)) return undefined;
  const { workspace, original, tree, place } = value;
  if (typeof workspace !== 'string' || typeof original !== 'string' || typeof place !== 'string')
    return undefined;
  if (typeof tree !== 'string' || parseTreeReference(tree) === undefined) return undefined;
  return { workspace, original, tree, place };
}

/** Undefined removes it. */
export function saveCopy(store: SettingsStore, copyId: string, copy: StoredCopy | undefined): Promise<void> {
  if (copy === undefined) return store.putSetting(keyOf(copyId), undefined);
  const { workspace, original, tree, place } = copy;
  return store.putSetting(keyOf(copyId), { workspace, original, tree, place });
}
