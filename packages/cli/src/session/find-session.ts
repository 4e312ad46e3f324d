import { drivingRun, isNothingToResume, type Store } from '@longhaul/core';
import { LonghaulError, type Session } from '@longhaul/protocol';
import { sessionsOf, type WorkspaceScope } from './workspace-scope.ts';

export interface SessionScope {
  /** Undefined: sessions of every folder. */
  scope: WorkspaceScope | undefined;
  home: string;
}

/**
 * Returns the session whose id begins with `prefix`, in whichever folder it works. Dashes may be left out.
 *
 * @throws {LonghaulError} `session_not_found`; `usage` if the ids of several sessions begin so.
 */
export async function sessionByPrefix(store: Store, prefix: string): Promise<Session> {
  const exact = await store.getSession(prefix);
  if (exact !== undefined) return exact;
  const wanted = plain(prefix);
  const found: Session[] = [];
  if (/^[0-9a-f]+$/.test(wanted)) {
    for await (const session of sessionsOf(store, { scope: undefined, home: '', withChildren: true })) {
      if (plain(session.id).startsWith(wanted)) found.push(session);
    }
  }
  const [session, ...others] = found;
  if (session === undefined) {
    throw new LonghaulError(
      'session_not_found',
      `No session has an id that begins with "${prefix}". longhaul sessions --all lists all sessions.`,
    );
  }
  if (others.length === 0) return session;
  const ids = found.slice(0, 5).map(({ id }) => id);
  throw new LonghaulError(
    'usage',
    `The ids of ${found.length} sessions begin with "${prefix}": ${ids.join(', ')}. Give more of the id.`,
  );
}

/** Returns the newest session that no other session has started. @throws {LonghaulError} `session_not_found` */
export async function newestSession(store: Store, where: SessionScope): Promise<Session> {
  for await (const session of sessionsOf(store, { ...where, withChildren: false, page: 20 })) return session;
  throw await noSession(store, where);
}

/** As many sessions as are looked at for one that can be resumed. */
const LOOKED_AT = 200;

/**
 * Returns the newest session that can be resumed: its run was interrupted, cancelled, stopped or failed, or a message
 * waits for it. Skips children, which their parents continue, sessions that another process works on, and imported ones
 * that have not run.
 *
 * @returns Undefined if every session has its answer.
 * @throws {LonghaulError} `session_not_found` if there is no session at all.
 */
export async function newestUnfinished(store: Store, where: SessionScope): Promise<Session | undefined> {
  let count = 0;
  for await (const session of sessionsOf(store, { ...where, withChildren: false })) {
    if (await isUnfinished(store, session.id)) return session;
    count += 1;
    if (count === LOOKED_AT) break;
  }
  if (count === 0) throw await noSession(store, where);
  return undefined;
}

async function isUnfinished(store: Store, sessionId: string): Promise<boolean> {
  if (await isNothingToResume(store, sessionId)) return false;
  if ((await drivingRun(store, sessionId)) !== undefined) return false;
  const [runs, waiting] = await Promise.all([store.listRuns(sessionId), store.listQueue(sessionId)]);
  return runs.length > 0 || waiting.length > 0;
}

async function noSession(store: Store, { scope }: SessionScope): Promise<LonghaulError> {
  const [elsewhere] = await store.listSessions({ limit: 1 });
  const message =
    scope === undefined || elsewhere === undefined
      ? 'There is no session yet. longhaul run "task" starts one.'
      : `No session works in ${scope.root} yet. longhaul run "task" starts one; longhaul sessions --all lists those of other folders.`;
  return new LonghaulError('session_not_found', message);
}

function plain(id: string): string {
  return id.toLowerCase().replaceAll('-', '');
}
