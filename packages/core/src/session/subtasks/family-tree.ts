import { childPlaceOf, type Session } from '@longhaul/protocol';
import type { Store } from '../../ports/index.ts';

const PAGE = 100;
/** A deeper family is damaged: its parents could be a cycle. */
const MAX_DEPTH = 100;

type Lists = Pick<Store, 'listSessions'>;
type Sessions = Lists & Pick<Store, 'getSession'>;

/** Returns the children of a session, oldest first. */
export async function childrenOf(store: Lists, parentId: string): Promise<Session[]> {
  const found: Session[] = [];
  for (let before: string | undefined; ; before = found.at(-1)?.id) {
    const page = await store.listSessions({ parentId, before, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found.reverse();
  }
}

/** Returns the ids of a session and of all its descendants. */
export async function descendantIds(store: Lists, sessionId: string): Promise<Set<string>> {
  const ids = new Set([sessionId]);
  // A set also visits what is added meanwhile.
  for (const id of ids) for (const child of await childrenOf(store, id)) ids.add(child.id);
  return ids;
}

/** A session of a family, and how many levels it is below the first. */
export interface FamilyMember {
  session: Session;
  depth: number;
}

/** Yields the descendants of a session, each before its own children. */
export async function* descendantsOf(
  store: Lists,
  sessionId: string,
  depth = 1,
): AsyncGenerator<FamilyMember> {
  if (depth > MAX_DEPTH) return;
  for (const session of await childrenOf(store, sessionId)) {
    yield { session, depth };
    yield* descendantsOf(store, session.id, depth + 1);
  }
}

/** Returns the ids of all sessions of the family to which a session belongs. */
export async function familyIds(store: Sessions, sessionId: string): Promise<Set<string>> {
  const ancestors = await ancestorsOf(store, sessionId);
  return await descendantIds(store, ancestors.at(-1)?.id ?? sessionId);
}

/** Returns the child that the call with this handle has started. */
export async function childAt(
  store: Sessions,
  parentId: string,
  handle: string,
): Promise<Session | undefined> {
  return (await childrenOf(store, parentId)).find((child) => childPlaceOf(child)?.handle === handle);
}

/**
 * Returns the handle by which an ancestor names something in the log of a descendant, such as `m12.3/m4.1`. Undefined if
 * the session is not the ancestor, and not below it.
 */
export async function pathFrom(
  store: Sessions,
  ancestorId: string,
  place: { sessionId: string; handle: string },
): Promise<string | undefined> {
  let path = place.handle;
  let id = place.sessionId;
  for (let depth = 0; id !== ancestorId; depth += 1) {
    const session = depth > MAX_DEPTH ? undefined : await store.getSession(id);
    const handle = session && childPlaceOf(session)?.handle;
    if (session?.parentId === undefined || handle === undefined) return undefined;
    path = `${handle}/${path}`;
    id = session.parentId;
  }
  return path;
}

/** Follows such a handle to the session in whose log it is. Undefined if there is no such child. */
export async function placeAt(
  store: Sessions,
  ancestorId: string,
  path: string,
): Promise<{ sessionId: string; handle: string } | undefined> {
  const steps = path.split('/');
  let sessionId: string | undefined = ancestorId;
  for (const step of steps.slice(0, -1))
    sessionId = sessionId === undefined ? undefined : (await childAt(store, sessionId, step))?.id;
  return sessionId === undefined ? undefined : { sessionId, handle: steps.at(-1) ?? '' };
}

/** Returns the first ancestor of a session. A session that is no child is its own. */
export async function rootOf(store: Pick<Store, 'getSession'>, session: Session): Promise<Session> {
  return (await ancestorsOf(store, session.id)).at(-1) ?? session;
}

/** The parent, its parent, and so on. */
async function ancestorsOf(store: Pick<Store, 'getSession'>, sessionId: string): Promise<Session[]> {
  const found: Session[] = [];
  let session = await store.getSession(sessionId);
  while (session?.parentId !== undefined && found.length < MAX_DEPTH) {
    session = await store.getSession(session.parentId);
    if (session !== undefined) found.push(session);
  }
  return found;
}
