import type {
  ForkOptions,
  Lease,
  NewSession,
  SessionPatch,
  SessionQuery,
  SessionStore,
  StagedSession,
  TitleChange,
} from '@longhaul/core';
import type { EventPayload, LonghaulEvent, Session } from '@longhaul/protocol';
import { dropRest } from '../drop-session.ts';
import { forkSession } from '../fork-session.ts';
import { stageSession } from '../stage-session.ts';
import type { StoreCore } from './store-core.ts';

export function sessionStore(core: StoreCore): SessionStore {
  return {
    createSession(session: NewSession): Promise<Session> {
      return core.write(() => core.sessions.create(session));
    },

    getSession(sessionId: string): Promise<Session | undefined> {
      return core.read(() => core.sessions.get(sessionId));
    },

    listSessions({ limit = 50, ...page }: SessionQuery = {}): Promise<Session[]> {
      return core.read(() => core.sessions.list({ limit, ...page }));
    },

    updateSession(sessionId: string, patch: SessionPatch): Promise<Session> {
      return core.write(() => core.sessions.update(sessionId, patch));
    },

    retitleSession(
      lease: Lease,
      { from, to, task }: TitleChange,
      events: readonly EventPayload[],
    ): Promise<LonghaulEvent[] | undefined> {
      return core.write(() => {
        const head = core.heads.held(lease);
        if (from === to || core.sessions.existing(lease.sessionId).title !== from) return undefined;
        core.sessions.change(lease.sessionId, { title: to, task });
        return core.appendAndSave(head, events);
      });
    },

    forkSession(sourceId: string, session: NewSession, options: ForkOptions): Promise<Session> {
      return forkSession(core, { sourceId, session, options });
    },

    stageSession(session: NewSession): Promise<StagedSession> {
      return stageSession(core, session);
    },

    async deleteSession(sessionId: string): Promise<void> {
      const family = await core.write(() => core.sessions.close(sessionId));
      for (const id of family) await dropRest(core, id);
    },
  };
}
