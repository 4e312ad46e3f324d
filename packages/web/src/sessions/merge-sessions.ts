import type { SessionInfo } from '@longhaul/protocol/api';

type Sessions = readonly SessionInfo[];

/**
 * The loaded sessions after the newest page was read again. The page is right about its range: sessions that it lacks
 * are deleted. Without a common session there is a gap, and only the page remains.
 */
export function withNewestPage(loaded: Sessions, page: Sessions): { sessions: Sessions; hasGap: boolean } {
  const inPage = new Set(page.map(({ id }) => id));
  const lastCommon = loaded.findLastIndex(({ id }) => inPage.has(id));
  const fresh = reuse(loaded, page);
  const hasGap = lastCommon === -1 && loaded.length > 0;
  const sessions = [...fresh, ...(hasGap ? [] : loaded.slice(lastCommon + 1))];
  return { sessions: isSameList(sessions, loaded) ? loaded : sessions, hasGap };
}

export function withOlderPage(loaded: Sessions, page: Sessions): Sessions {
  const known = new Set(loaded.map(({ id }) => id));
  return [...loaded, ...page.filter(({ id }) => !known.has(id))];
}

/** Replaces loaded sessions by newly read ones, and removes the deleted ones. */
export function withChanged(
  loaded: Sessions,
  { read, deleted }: { read: Sessions; deleted: ReadonlySet<string> },
): Sessions {
  const fresh = new Map(reuse(loaded, read).map((session) => [session.id, session]));
  const sessions = loaded
    .filter(({ id }) => !deleted.has(id))
    .map((session) => fresh.get(session.id) ?? session);
  return isSameList(sessions, loaded) ? loaded : sessions;
}

/** Sessions that have not changed stay the same objects, so that they are not rendered again. */
function reuse(loaded: Sessions, read: Sessions): SessionInfo[] {
  const former = new Map(loaded.map((session) => [session.id, session]));
  return read.map((session) => {
    const known = former.get(session.id);
    return known !== undefined && JSON.stringify(known) === JSON.stringify(session) ? known : session;
  });
}

function isSameList(a: Sessions, b: Sessions): boolean {
  return a.length === b.length && a.every((session, index) => session === b[index]);
}
