import type { LonghaulClient } from '@longhaul/client';
import { toLonghaulError } from '@longhaul/protocol';
import type { SessionInfo } from '@longhaul/protocol/api';

/** A session and its forks. */
export interface FamilyNode {
  session: SessionInfo;
  /** Sequence of the last message that the fork has in common with its origin. Undefined: all were copied. */
  at: number | undefined;
  forks: readonly FamilyNode[];
}

export interface Family {
  root: FamilyNode;
  /** The session from which the oldest one was forked is deleted. */
  isOriginGone: boolean;
  /** There are too many sessions: later forks may be missing. */
  isCut: boolean;
}

const PAGE = 200;
const MOST_PAGES = 50;
const MOST_ANCESTORS = 100;

/** Reads all sessions that are copies of the same one. */
export async function readFamily(
  client: Pick<LonghaulClient, 'sessions'>,
  sessionId: string,
  signal: AbortSignal,
): Promise<Family> {
  const line = await readAncestors(client, sessionId, signal);
  const oldest = line.sessions.at(-1);
  if (oldest === undefined) throw new Error('A session has itself in its line.');
  const { sessions, isCut } = await readSince(client, oldest.createdAt, signal);
  const all = new Map([...line.sessions, ...sessions].map((session) => [session.id, session]));
  return { root: familyNode(oldest, [...all.values()]), isOriginGone: line.isOriginGone, isCut };
}

/** The session that another one is a copy of. */
export function originOf({
  metadata,
}: Pick<SessionInfo, 'metadata'>): { sessionId: string; at?: number } | undefined {
  const origin = metadata?.['forkedFrom'];
  if (typeof origin !== 'object' || origin === null || Array.isArray(origin)) return undefined;
  const { sessionId, at } = origin;
  if (typeof sessionId !== 'string') return undefined;
  return { sessionId, ...(typeof at === 'number' && { at }) };
}

/** The forks of a session and their forks, oldest first. Each session is in it once, whatever its metadata say. */
export function familyNode(root: SessionInfo, sessions: readonly SessionInfo[]): FamilyNode {
  const seen = new Set([root.id]);
  const nodeOf = (session: SessionInfo): FamilyNode => {
    const forks = sessions.filter((one) => originOf(one)?.sessionId === session.id && !seen.has(one.id));
    for (const { id } of forks) seen.add(id);
    const sorted = forks.sort((a, b) => a.createdAt - b.createdAt);
    return { session, at: originOf(session)?.at, forks: sorted.map(nodeOf) };
  };
  return nodeOf(root);
}

/** The session, its origin, and so on. */
async function readAncestors(
  client: Pick<LonghaulClient, 'sessions'>,
  sessionId: string,
  signal: AbortSignal,
) {
  const sessions: SessionInfo[] = [];
  for (let next: string | undefined = sessionId; next !== undefined && sessions.length < MOST_ANCESTORS; ) {
    const session: SessionInfo | undefined = await readOne(client, next, signal);
    if (session === undefined) return { sessions, isOriginGone: true };
    sessions.push(session);
    const origin: string | undefined = originOf(session)?.sessionId;
    next = sessions.some(({ id }) => id === origin) ? undefined : origin;
  }
  return { sessions, isOriginGone: false };
}

/** Undefined if an origin is deleted. */
async function readOne(
  client: Pick<LonghaulClient, 'sessions'>,
  sessionId: string,
  signal: AbortSignal,
): Promise<SessionInfo | undefined> {
  try {
    return await client.sessions.get(sessionId, { signal });
  } catch (error) {
    if (toLonghaulError(error).code === 'session_not_found') return undefined;
    throw error;
  }
}

/** Sessions that can be copies of one from this time: the list begins with the newest. */
async function readSince(client: Pick<LonghaulClient, 'sessions'>, createdAt: number, signal: AbortSignal) {
  const sessions: SessionInfo[] = [];
  let before: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const read = await client.sessions.list(
      { limit: PAGE, ...(before !== undefined && { before }) },
      { signal },
    );
    sessions.push(...read.sessions);
    before = read.next;
    const last = read.sessions.at(-1);
    if (before === undefined || last === undefined || last.createdAt < createdAt)
      return { sessions, isCut: false };
  }
  return { sessions, isCut: true };
}
