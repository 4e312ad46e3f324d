import { agentNameOf } from '@longhaul/config';
import {
  assertDeletable,
  backgroundCommands,
  defaultTitle,
  findMessage,
  sessionState,
  shareSession,
} from '@longhaul/core';
import {
  accessOf,
  handleOf,
  LonghaulError,
  PRIORITY_KEY,
  type Priority,
  priorityOf,
  type Session,
} from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import { ownedBy } from '../safety/session-gate.ts';
import type { HandlerContext } from './handler-context.ts';
import { newWorkspace } from './new-workspace.ts';
import { createSessionFigures } from './session-figures.ts';
import { createSessionLists } from './session-lists.ts';

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
  gate,
  dispatcher,
  ownFolders,
}: HandlerContext): Pick<RouteHandlers, Names> {
  const withState = async (session: Session, access: Access): Promise<SessionInfo> => {
    const state = await sessionState(store, session);
    const waiting = await runs.positionOf(session.id);
    const { owner, shared } = accessOf(session);
    return {
      ...session,
      state: waiting === undefined || state === 'running' ? state : 'waiting',
      owner,
      shared,
      priority: priorityOf(session),
      isOwn: owner === access.name,
      may: access.scope === 'read' ? 'see' : await gate.may(access, session),
      waiting,
    };
  };
  const lists = createSessionLists({ store, deletions, gate });
  const figuresOf = createSessionFigures({ store, runtime });
  const withFigures = async (
    session: Session,
    { access, wanted }: { access: Access; wanted: 'true' | 'false' },
  ) => {
    const info = await withState(session, access);
    return wanted === 'true' ? { ...info, figures: await figuresOf(session) } : info;
  };

  return {
    async createSession({ body, access }) {
      assertPriority(access, body.priority);
      const place = await newWorkspace(body.workspace, { workspaces, dispatcher, ownFolders });
      const metadata = {
        ...body.metadata,
        ...(body.agent !== undefined && { agent: body.agent }),
        ...ownedBy(access, body.shared),
        ...(body.priority !== undefined && { [PRIORITY_KEY]: body.priority }),
        ...place.metadata,
      };
      const agent = agents.get(agentNameOf({ metadata }));
      const model = await models.resolve(body.model ?? agent.model);
      const { title, task = '' } = body;
      const session = await store.createSession({
        id: place.sessionId,
        createdAt: Date.now(),
        task,
        title: title ?? defaultTitle(task),
        model,
        workspace: place.workspace,
        metadata,
      });
      return withState(session, access);
    },

    async listSessions({ query: { parent, figures, ...query }, access }) {
      const parentId = parent === 'any' ? undefined : parent === 'none' ? null : parent;
      const { found, next } = await lists.page({ ...query, parentId }, access);
      return {
        sessions: await Promise.all(
          found.map((session) => withFigures(session, { access, wanted: figures })),
        ),
        next,
      };
    },

    async getSession({ params: { sessionId }, query: { figures }, access }) {
      const session = await runs.existing(sessionId);
      const [info, lastEvent, queue] = await Promise.all([
        withFigures(session, { access, wanted: figures }),
        store.lastEventNumber(sessionId),
        store.listQueue(sessionId),
      ]);
      const background = backgroundCommands(session, info.state === 'waiting' ? session.status : info.state);
      return { ...info, lastEvent, queued: queue.length, background };
    },

    async updateSession({ params: { sessionId }, body, access }) {
      const { title, model, shared, priority } = body;
      const session = await runs.existing(sessionId);
      if (shared !== undefined) {
        await gate.assert(access, sessionId, 'own');
        await shareSession(store, session, shared);
        feeds.checkAccess();
      }
      if (priority !== undefined) {
        await gate.assert(access, sessionId, 'own');
        assertPriority(access, priority);
      }
      const patch = {
        title,
        model: model === undefined ? undefined : await models.resolve(model),
        metadata: priority === undefined ? body.metadata : { ...body.metadata, [PRIORITY_KEY]: priority },
      };
      const updated = await store.updateSession(sessionId, patch);
      if (priority !== undefined) await runs.prioritise(updated);
      if (title !== undefined && title !== session.title) await runtime.reportTitle(sessionId, title);
      return withState(updated, access);
    },

    async deleteSession({ params: { sessionId }, query: { undoSeconds } }) {
      const family = await assertDeletable(store, await runs.existing(sessionId));
      for (const id of family) await runs.giveUp(id);
      if (undoSeconds !== undefined) {
        await deletions.schedule(sessionId, undoSeconds * 1_000);
        return undefined;
      }
      for (const id of family) await runtime.endKeptCommands(id);
      await store.deleteSession(sessionId);
      for (const id of family) feeds.drop(id);
      return undefined;
    },

    async restoreSession({ params: { sessionId }, access }) {
      const session = await runs.existing(sessionId);
      await deletions.takeBack(sessionId);
      return withState(session, access);
    },

    async forkSession({ params: { sessionId }, body: { at, title }, access }) {
      await runs.existing(sessionId);
      const sequence = at === undefined ? undefined : (await findMessage(store, sessionId, at)).sequence;
      const fork = await runtime.fork(sessionId, {
        at: sequence,
        title,
      });
      return withState(await store.updateSession(fork.id, { metadata: ownedBy(access) }), access);
    },

    async search({ query, access }) {
      const { hits, known } = await lists.search(query, access);
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

/** @throws {LonghaulError} `forbidden`: a token could otherwise put all its sessions before those of others. */
function assertPriority({ name, scope }: Access, priority: Priority | undefined): void {
  if (priority !== 'high' || scope === 'admin') return;
  throw new LonghaulError(
    'forbidden',
    `Only an admin may give a session the priority "high", not the token "${name}". Use "normal" or "low".`,
  );
}
