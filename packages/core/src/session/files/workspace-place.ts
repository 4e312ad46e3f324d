import type { SettingsStore } from '../../ports/index.ts';

/** A deleted session takes its settings along, and a copy begins without them. */
function keyOf(sessionId: string): string {
  return `session:${sessionId}:place`;
}

/** Returns the name of the newest folder of a session that moves between machines. Undefined: it has none yet. */
export async function loadPlace(store: SettingsStore, sessionId: string): Promise<string | undefined> {
  const value = await store.getSetting(keyOf(sessionId));
  return typeof value === 'string' ? value : undefined;
}

export function savePlace(store: SettingsStore, sessionId: string, place: string): Promise<void> {
  return store.putSetting(keyOf(sessionId), place);
}
