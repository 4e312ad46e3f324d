import { isObject, parseTreeReference } from '@longhaul/protocol';
import type { SettingsStore } from '../../ports/index.ts';

/**
 * A revert whose files are being restored. It is stored before the first file is changed, and removed with the mark.
 */
export interface PendingRevert {
  handle: string;
  to: number;
  undoes?: string;
  /** The recorded tree before the revert, and the tree to restore. */
  treeBefore: string;
  treeAfter: string;
  /** Files that others have changed and that are left as they are. */
  keeps?: string[];
}

function keyOf(sessionId: string): string {
  return `session:${sessionId}:revert`;
}

export async function loadPendingRevert(
  store: SettingsStore,
  sessionId: string,
): Promise<PendingRevert | undefined> {
  const value = await store.getSetting(keyOf(sessionId));
  if (!isObject(value)) return undefined;
  const { handle, to, undoes, treeBefore, treeAfter, keeps } = value;
  if (typeof handle !== 'string' || typeof to !== 'number') return undefined;
  if (!isTree(treeBefore) || !isTree(treeAfter)) return undefined;
  return {
    handle,
    to,
    treeBefore,
    treeAfter,
    ...(typeof undoes === 'string' && { undoes }),
    ...(Array.isArray(keeps) && { keeps: keeps.filter((path) => typeof path === 'string') }),
  };
}

/** Undefined removes it. */
export function savePendingRevert(
  store: SettingsStore,
  sessionId: string,
  revert: PendingRevert | undefined,
): Promise<void> {
  return store.putSetting(keyOf(sessionId), revert === undefined ? undefined : { ...revert });
}

function isTree(value: unknown): value is string {
  return typeof value === 'string' && parseTreeReference(value) !== undefined;
}
