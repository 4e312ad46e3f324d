import type { JsonObject, Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** Key in the session's metadata. A fork has it too. */
const KEY = 'skillsInUse';
const MAX_NAMES = 50;

/** Returns the names of the skills that the model has read, in the order in which it read them last. */
export function loadSkillsInUse({ metadata }: Pick<Session, 'metadata'>): string[] {
  const names = metadata?.[KEY];
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, MAX_NAMES) : [];
}

export async function saveSkillsInUse(
  store: Store,
  sessionId: string,
  names: readonly string[],
): Promise<void> {
  const metadata: JsonObject = { [KEY]: names.slice(-MAX_NAMES) };
  await store.updateSession(sessionId, { metadata });
}
