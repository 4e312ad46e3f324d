import type { Store } from '@longhaul/core';

const MAX_LISTED = 1_000;

/**
 * The ids of sessions whose last run has no end, or was interrupted: last started first. A child session whose parent
 * is listed is left out, because a run of the parent continues it.
 */
export async function interruptedSessions(
  store: Pick<Store, 'listUnfinishedRuns' | 'getSession'>,
): Promise<string[]> {
  const runs = await store.listUnfinishedRuns({ limit: MAX_LISTED });
  const ids = new Set(runs.map(({ sessionId }) => sessionId));
  const listed: string[] = [];
  for (const id of ids) {
    const parentId = (await store.getSession(id))?.parentId;
    if (parentId === undefined || !ids.has(parentId)) listed.push(id);
  }
  return listed;
}
