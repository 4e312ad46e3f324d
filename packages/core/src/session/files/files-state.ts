import { isObject, parseTreeReference } from '@longhaul/protocol';
import type { SettingsStore } from '../../ports/index.ts';

/** How far the files of a session are recorded. */
export interface FilesState {
  /** Reference of the newest tree (`@tree:…`). */
  tree: string;
  /** Sequence of the last message whose tool calls are in the tree. */
  through: number;
}

/** A deleted session takes its settings along, and a copy begins without them. */
function keyOf(sessionId: string): string {
  return `session:${sessionId}:files`;
}

/** Returns undefined if no file of the session was recorded. */
export async function loadFilesState(
  store: SettingsStore,
  sessionId: string,
): Promise<FilesState | undefined> {
  const value = await store.getSetting(keyOf(sessionId));
  if (!isObject(value)) return undefined;
  const { tree, through } = value;
  if (typeof tree !== 'string' || typeof through !== 'number') return undefined;
  return parseTreeReference(tree) === undefined ? undefined : { tree, through };
}

export function saveFilesState(store: SettingsStore, sessionId: string, state: FilesState): Promise<void> {
  return store.putSetting(keyOf(sessionId), { ...state });
}
