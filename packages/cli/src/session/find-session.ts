import type { Store } from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';

const PAGE = 200;

/**
 * The session whose id begins with `prefix`; dashes may be left out. `last` is the newest one.
 *
 * @throws {LonghaulError} `session_not_found`; `usage` when several begin so.
 */
export async function findSession(store: Store, prefix: string): Promise<Session> {
  if (prefix === 'last') return newest(store);
  const exact = await store.getSession(prefix);
  if (exact !== undefined) return exact;
  const wanted = plain(prefix);
  const found: Session[] = [];
  if (/^[0-9a-f]+$/.test(wanted)) {
    for await (const session of allSessions(store)) {
      if (plain(session.id).startsWith(wanted)) found.push(session);
    }
  }
  const [session, ...others] = found;
  if (session === undefined) {
    throw new LonghaulError(
      'session_not_found',
      `No session's id begins with "${prefix}". longhaul sessions lists them.`,
    );
  }
  if (others.length === 0) return session;
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new LonghaulError(
    'usage',
    `"${prefix}" is the beginning of ${found.length} sessions: ${ids.join(', ')}. Give more of the id.`,
  );
}

async function newest(store: Store): Promise<Session> {
  const [session] = await store.listSessions({ limit: 1 });
  if (session !== undefined) return session;
  throw new LonghaulError(
    'session_not_found',
    'There is no session yet. longhaul run "task" makes the first one.',
  );
}

async function* allSessions(store: Store): AsyncGenerator<Session> {
  let before: string | undefined;
  for (;;) {
    const page = await store.listSessions({ limit: PAGE, before });
    yield* page;
    before = page.at(-1)?.id;
    if (before === undefined || page.length < PAGE) return;
  }
}

function plain(id: string): string {
  return id.toLowerCase().replaceAll('-', '');
}
