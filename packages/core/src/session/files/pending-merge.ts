import { isObject, parseTreeReference } from '@longhaul/protocol';
import type { SettingsStore } from '../../ports/index.ts';
import type { MergeOutcome } from '../../ports/merged-files.ts';

/** A merge of a copy into the workspace of its session. It is stored before the first file is changed. */
export interface PendingMerge {
  /** The call that merges. The same call gets the same outcome again. */
  call: string;
  /** The recorded tree before the merge, and the tree to restore. */
  treeBefore: string;
  treeAfter: string;
  /** What the call reports when the files are written. */
  outcome: MergeOutcome;
  isDone: boolean;
}

/** Deleted with the session. `gc` keeps the trees that it names. */
function keyOf(sessionId: string, copyId: string): string {
  return `session:${sessionId}:merge-${copyId}`;
}

export async function loadPendingMerge(
  store: SettingsStore,
  sessionId: string,
  copyId: string,
): Promise<PendingMerge | undefined> {
  const value = await store.getSetting(keyOf(sessionId, copyId));
  if (!isObject(value)) return undefined;
  const { call, treeBefore, treeAfter, outcome, isDone } = value;
  if (typeof call !== 'string' || !isTree(treeBefore) || !isTree(treeAfter) || !isObject(outcome))
    return undefined;
  // Only `savePendingMerge` writes it, and a damaged setting is not read.
  return {
    call,
    treeBefore,
    treeAfter,
    outcome: outcome as unknown as MergeOutcome,
    isDone: isDone === true,
  };
}

/** Undefined removes it. */
export function savePendingMerge(
  store: SettingsStore,
  { sessionId, copyId }: { sessionId: string; copyId: string },
  merge: PendingMerge | undefined,
): Promise<void> {
  const value = merge === undefined ? undefined : JSON.parse(JSON.stringify(merge));
  return store.putSetting(keyOf(sessionId, copyId), value);
}

function isTree(value: unknown): value is string {
  return typeof value === 'string' && parseTreeReference(value) !== undefined;
}
