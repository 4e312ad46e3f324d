import type { ForkOptions, NewSession, SessionPatch, SessionStore, StagedChild } from '@longhaul/core';
import { isOpen, type Session } from '@longhaul/protocol';
import { createMarkFork } from '../../shared/forked-marks.ts';
import { mergedMetadata } from '../../shared/merged-metadata.ts';
import {
  isChildOf,
  isVisibleTo,
  searchWords,
  sessionHolds,
  sessionWorksIn,
} from '../../shared/session-search.ts';
import { noSuchMessage, sessionExists, sessionNotFound } from '../../shared/store-errors.ts';
import type { MemoryCore } from '../memory-core.ts';
import { MemorySession } from '../memory-session.ts';

export function sessionStore(core: MemoryCore): SessionStore {
  const staged = new Map<string, MemorySession>();
  return {
    createSession: async (session) => structuredClone(create(core, session).session),

    getSession: async (sessionId) => structuredClone(core.all.get(sessionId)?.session),

    listSessions: async ({ limit = 50, before, search, workspace, parentId, visibleTo } = {}) => {
      const newestFirst = [...core.sessionIds].toReversed().flatMap((id) => core.all.get(id)?.session ?? []);
      const start = before === undefined ? 0 : newestFirst.indexOf(core.get(before).session) + 1;
      const words = searchWords(search);
      const found = newestFirst
        .slice(start)
        .filter(
          (session) =>
            sessionHolds(session, words) &&
            sessionWorksIn(session, workspace) &&
            isChildOf(session, parentId) &&
            isVisibleTo(session, visibleTo),
        );
      return structuredClone(found.slice(0, limit));
    },

    updateSession: async (sessionId, patch) => {
      const held = core.get(sessionId);
      applyPatch(held.session, patch);
      held.touch();
      return structuredClone(held.session);
    },

    retitleSession: async (lease, { from, to, task }, events) => {
      const held = core.held(lease, events);
      if (held.session.title !== from || from === to) return undefined;
      applyPatch(held.session, { title: to, task });
      return held.appendEvents(events);
    },

    forkSession: async (sourceId, session, options) => fork(core, core.get(sourceId), { session, options }),

    stageSession: async (session) => {
      if (core.all.has(session.id)) throw sessionExists(session.id);
      const held = newSession(core, session);
      staged.set(session.id, held);
      return {
        append: async (drafts) => {
          for (const draft of drafts) core.refuseKnown(draft.id);
          for (const draft of drafts) held.appendMessage(draft);
        },
        publish: async ({ children = [], ...end }) => {
          const ends = [{ ...end, id: session.id, messages: held.messages.length }, ...children];
          const opened = ends.map((each) => ({ ...each, begun: begunSession(staged, each) }));
          for (const each of opened) {
            applyPatch(each.begun.session, each.patch);
            each.begun.marks.push(...structuredClone([...each.marks]));
            core.all.set(each.id, each.begun);
            staged.delete(each.id);
          }
          return structuredClone(held.session);
        },
        discard: async () => {
          core.sessionIds.delete(session.id);
          staged.delete(session.id);
        },
      };
    },

    deleteSession: async (sessionId) => deleteFamily(core, sessionId),
  };
}

/** @throws {LonghaulError} `session_not_found` if it is not there as a whole. */
function begunSession(
  staged: ReadonlyMap<string, MemorySession>,
  { id, messages }: Pick<StagedChild, 'id' | 'messages'>,
): MemorySession {
  const held = staged.get(id);
  if (held?.messages.length !== messages) throw sessionNotFound(id);
  return held;
}

function deleteFamily(core: MemoryCore, sessionId: string): void {
  for (const { runId } of core.get(sessionId).runs) core.runIds.delete(runId);
  core.all.delete(sessionId);
  core.sessionIds.delete(sessionId);
  for (const key of core.settings.keys())
    if (key.startsWith(`session:${sessionId}:`)) core.settings.delete(key);
  for (const { session } of [...core.all.values()])
    if (session.parentId === sessionId) deleteFamily(core, session.id);
}

function create(core: MemoryCore, session: NewSession): MemorySession {
  if (core.all.has(session.id)) throw sessionExists(session.id);
  const held = newSession(core, session);
  core.all.set(session.id, held);
  return held;
}

function newSession({ clock, sessionIds }: MemoryCore, session: NewSession): MemorySession {
  sessionIds.add(session.id);
  const stored = { ...structuredClone(session), status: 'active' as const, updatedAt: session.createdAt };
  return new MemorySession(stored, clock.now);
}

function fork(
  core: MemoryCore,
  source: MemorySession,
  { session, options: { at, newId, close } }: { session: NewSession; options: ForkOptions },
): Session {
  const last = source.messages.at(-1)?.sequence ?? 0;
  const end = at ?? last;
  if (end > last || (end < 1 && last > 0)) throw noSuchMessage(source.session.id, end, last);
  const forked = create(core, session);
  const messageIds = new Map<string, string>();
  for (const message of source.messages.slice(0, end)) {
    const id = newId();
    messageIds.set(message.id, id);
    const copy = { ...structuredClone(message), id, sessionId: session.id };
    if (copy.status === 'running') copy.status = 'interrupted';
    copy.parts = copy.parts.map((part) => (isOpen(part) ? close(part) : part));
    forked.messages.push(copy);
  }
  const before = source.messages[end]?.createdAt ?? Number.POSITIVE_INFINITY;
  const until = at === undefined ? end : end - 1;
  const marks = structuredClone(source.marks);
  const hiddenThere = (id: string) => messageIds.get(id);
  const markFork = createMarkFork({ sessionId: session.id, messageIds, newId, before, until, hiddenThere });
  for (const mark of marks) markFork.meet(mark);
  forked.marks.push(...marks.flatMap((mark) => markFork.fork(mark) ?? []));
  const sequenceOf = (handle: string) => Number(/^m(\d+)/.exec(handle)?.[1]);
  const deleted = source.outputs.filter(({ deletedAt }) => deletedAt !== undefined);
  forked.outputs.push(...structuredClone(deleted.filter(({ handle }) => sequenceOf(handle) <= end)));
  forked.touch();
  return structuredClone(forked.session);
}

function applyPatch(session: Session, { metadata, ...patch }: SessionPatch): void {
  const given = Object.entries(patch).filter(([, value]) => value !== undefined);
  Object.assign(session, structuredClone(Object.fromEntries(given)));
  if (metadata !== undefined) session.metadata = structuredClone(mergedMetadata(session.metadata, metadata));
}
