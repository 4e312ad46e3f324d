import { agentNameOf } from '@longhaul/config';
import {
  assertDeletable,
  backgroundCommands,
  defaultTitle,
  findMessage,
  newId,
  sessionState,
} from '@longhaul/core';
import { handleOf, type Session } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';
import { createSessionFigures } from './session-figures.ts';

type Names =
  | 'createSession'
  | 'listSessions'
  | 'getSession'
  | 'updateSession'
  | 'deleteSession'
  | 'restoreSession'
  | 'forkSession'
  | 'search';

export function sessionHandlers({
  runtime,
  store,
  models,
  agents,
  runs,
  feeds,
  deletions,
  workspaces,
}: HandlerContext): Pick<RouteHandlers, Names> {
  const withState = async (session: Session): Promise<SessionInfo> => ({
    ...session,
    state: await sessionState(store, session),
  });
  const withoutDeleted = async (sessions: readonly Session[]) => {
    const areDeleted = await Promise.all(sessions.map((session) => deletions.includes(session)));
    return sessions.filter((_, index) => areDeleted[index] !== true);
  };
  const figuresOf = createSessionFigures({ store, runtime });
  const withFigures = async (session: Session, wanted: 'true' | 'false') => {
    const info = await withState(session);
    return wanted === 'true' ? { ...info, figures: await figuresOf(session) } : info;
  };

  return {
    async createSession({ body }) {
      const workspace = await workspaces.resolve(body.workspace);
      const metadata = body.agent === undefined ? body.metadata : { ...body.metadata, agent: body.agent };
      const agent = agents.get(agentNameOf({ metadata }));
      const model = await models.resolve(body.model ?? agent.model);
      const { title, task = '' } = body;
      const session = await store.createSession({
        id: newId(),
        createdAt: Date.now(),
        task,
        title: title ?? defaultTitle(task),
        model,
        workspace,
        metadata,
      });
      return withState(session);
    },

    async listSessions({ query: { limit, before, search, parent, figures } }) {
      const page = await store.listSessions({
        // Reads one extra session to detect whether there is a next page.
        limit: limit + 1,
        before,
        search,
        parentId: parent === 'any' ? undefined : parent === 'none' ? null : parent,
      });
      const shown = await withoutDeleted(page.slice(0, limit));
      const sessions = await Promise.all(shown.map((session) => withFigures(session, figures)));
      const next = page.length > limit ? page[limit - 1]?.id : undefined;
      return { sessions, next };
    },

    async getSession({ params: { sessionId }, query: { figures } }) {
      const session = await runs.existing(sessionId);
      const [info, lastEvent, queue] = await Promise.all([
        withFigures(session, figures),
        store.lastEventNumber(sessionId),
        store.listQueue(sessionId),
      ]);
      const background = backgroundCommands(session, info.state);
      return { ...info, lastEvent, queued: queue.length, background };
    },

    async updateSession({ params: { sessionId }, body: { title, model, metadata } }) {
      await runs.existing(sessionId);
      const patch = {
        title,
        model: model === undefined ? undefined : await models.resolve(model),
        metadata,
      };
      return withState(await store.updateSession(sessionId, patch));
    },

    async deleteSession({ params: { sessionId }, query: { undoSeconds } }) {
      const family = await assertDeletable(store, await runs.existing(sessionId));
      if (undoSeconds !== undefined) {
        await deletions.schedule(sessionId, undoSeconds * 1_000);
        return undefined;
      }
      for (const id of family) await runtime.endKeptCommands(id);
      await store.deleteSession(sessionId);
      for (const id of family) feeds.drop(id);
      return undefined;
    },

    async restoreSession({ params: { sessionId } }) {
      const session = await runs.existing(sessionId);
      await deletions.takeBack(sessionId);
      return withState(session);
    },

    async forkSession({ params: { sessionId }, body: { at, title } }) {
      await runs.existing(sessionId);
      const sequence = at === undefined ? undefined : (await findMessage(store, sessionId, at)).sequence;
      const fork = await runtime.fork(sessionId, {
        at: sequence,
        title,
      });
      return withState(fork);
    },

    async search({ query: { q, sessionId, limit, reverted } }) {
      const found = await store.search(q, { limit, sessionId, includeReverted: reverted === 'true' });
      const read = await Promise.all(
        [...new Set(found.map((hit) => hit.sessionId))].map((id) => store.getSession(id)),
      );
      const sessions = await withoutDeleted(read.filter((session) => session !== undefined));
      const known = new Map(sessions.map((session) => [session.id, session]));
      const hits = found.filter((hit) => known.has(hit.sessionId));
      return {
        hits: hits.map((hit) => ({
          ...hit,
          handle: handleOf(hit.sequence, hit.partIndex),
          title: known.get(hit.sessionId)?.title,
          parentId: known.get(hit.sessionId)?.parentId,
          summary: known.get(hit.sessionId)?.summary,
        })),
      };
    },
  };
}
