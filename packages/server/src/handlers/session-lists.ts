import type { SearchHit, SessionQuery } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { QueryOf } from '@longhaul/protocol/api';
import type { Access } from '../safety/access.ts';
import type { HandlerContext } from './handler-context.ts';

/** Hits that are read at once, and at most, of sessions that a token may not see all of. */
const FIRST_HITS = 200;
const MAX_HITS = 12_800;

type Context = Pick<HandlerContext, 'store' | 'deletions' | 'gate'>;

/** Lists and searches the sessions that a token may see and that are not about to be deleted. */
export function createSessionLists({ store, deletions, gate }: Context) {
  const withoutDeleted = async (sessions: readonly Session[]) => {
    const areDeleted = await Promise.all(sessions.map((session) => deletions.includes(session)));
    return sessions.filter((_, index) => areDeleted[index] !== true);
  };

  /** Returns the hits whose sessions are listed. */
  async function listed(hits: readonly SearchHit[], access: Access) {
    const ids = [...new Set(hits.map((hit) => hit.sessionId))];
    const read = await Promise.all(ids.map((id) => store.getSession(id)));
    const sessions = await gate.visible(
      access,
      await withoutDeleted(read.filter((session) => session !== undefined)),
    );
    const known = new Map(sessions.map((session) => [session.id, session]));
    return { known, hits: hits.filter((hit) => known.has(hit.sessionId)) };
  }

  return {
    async page(
      { limit, ...query }: SessionQuery & { limit: number },
      access: Access,
    ): Promise<{ found: Session[]; next: string | undefined }> {
      if (typeof query.parentId === 'string') await gate.assert(access, query.parentId, 'see');
      const visibleTo = access.scope === 'admin' ? undefined : access.name;
      const found: Session[] = [];
      for (let { before } = query; ; ) {
        // Reads one extra session to detect whether there is a next page.
        const page = await store.listSessions({ ...query, before, visibleTo, limit: limit + 1 });
        found.push(...(await gate.visible(access, page)));
        before = page.at(-1)?.id;
        if (found.length > limit || page.length <= limit) break;
      }
      const next = found.length > limit ? found[limit - 1]?.id : undefined;
      return { found: await withoutDeleted(found.slice(0, limit)), next };
    },

    async search({ q, sessionId, limit, reverted }: QueryOf<'search'>, access: Access) {
      if (sessionId !== undefined) await gate.assert(access, sessionId, 'see');
      const options = { sessionId, includeReverted: reverted === 'true' };
      const isAdmin = access.scope === 'admin';
      for (let read = isAdmin ? limit : Math.max(limit, FIRST_HITS); ; read *= 4) {
        const all = await store.search(q, { ...options, limit: read });
        const { hits, known } = await listed(all, access);
        if (isAdmin || hits.length >= limit || all.length < read || read >= MAX_HITS)
          return { hits: hits.slice(0, limit), known };
      }
    },
  };
}
