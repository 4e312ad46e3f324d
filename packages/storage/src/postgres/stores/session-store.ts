import type { SessionStore } from '@longhaul/core';
import { forkSession } from '../fork-session.ts';
import { assertHeld, saveHead } from '../heads.ts';
import { stageSession } from '../stage-session.ts';
import { dropRest } from '../tables/drop-session.ts';
import { addEvents } from '../tables/events.ts';
import {
  beginSession,
  changeSession,
  closeSessions,
  existingSession,
  getSession,
  listSessions,
  openSession,
} from '../tables/sessions.ts';
import type { PostgresCore } from './store-core.ts';

export function sessionStore(core: PostgresCore): SessionStore {
  return {
    createSession: (session) =>
      core.write(session.id, async (db) => {
        await beginSession(db, session);
        return openSession(db, session.id, { createdAt: session.createdAt, lastSequence: 0 });
      }),

    getSession: (sessionId) => core.query((db) => getSession(db, sessionId), sessionId),

    listSessions: ({ limit = 50, ...page } = {}) => core.read((db) => listSessions(db, { limit, ...page })),

    updateSession: (sessionId, patch) =>
      core.inSession(sessionId, async ({ db, head, now }) => {
        await changeSession(db, sessionId, patch);
        await saveHead(db, head, now);
        return existingSession(db, sessionId);
      }),

    retitleSession: (lease, { from, to, task }, events) =>
      core.held(lease, async ({ db, head, now }) => {
        assertHeld(head, lease);
        if (from === to || (await existingSession(db, lease.sessionId)).title !== from) return undefined;
        await changeSession(db, lease.sessionId, { title: to, ...(task === undefined ? {} : { task }) });
        const numbered = await addEvents(db, head, { payloads: events, now });
        await saveHead(db, head, now);
        return numbered;
      }),

    forkSession: (sourceId, session, options) => forkSession(core, { sourceId, session, options }),

    stageSession: (session) => stageSession(core, session),

    async deleteSession(sessionId) {
      const family = await core.write(sessionId, (db) => closeSessions(db, sessionId));
      for (const id of family) await core.write(id, (db) => dropRest(db, id));
    },
  };
}
