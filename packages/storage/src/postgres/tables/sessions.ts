import type { NewSession, SessionPatch, SessionQuery } from '@longhaul/core';
import { ADMIN_NAME, type Session, SHARES } from '@longhaul/protocol';
import { and, desc, eq, getColumns, isNotNull, isNull, or, type SQL, sql } from 'drizzle-orm';
import { toColumn } from '../../shared/json.ts';
import { mergedMetadata } from '../../shared/merged-metadata.ts';
import { rowChecksum } from '../../shared/row-checksum.ts';
import { readableMetadata, toSession } from '../../shared/session-rows.ts';
import { folderStart, isVisibleTo, searchWords } from '../../shared/session-search.ts';
import { sessionExists, sessionGoing, sessionNotFound } from '../../shared/store-errors.ts';
import type { Db } from '../connection.ts';
import { heads, sessions } from '../schema.ts';

type SessionColumns = Partial<typeof sessions.$inferInsert>;

function select(db: Db) {
  return db
    .select({ ...getColumns(sessions), updatedAt: heads.updatedAt })
    .from(sessions)
    .innerJoin(heads, eq(heads.sessionId, sessions.id));
}

export async function getSession(db: Db, sessionId: string): Promise<Session | undefined> {
  const [row] = await select(db).where(eq(sessions.id, sessionId));
  return row === undefined ? undefined : toSession(row);
}

/** @throws {LonghaulError} `session_not_found` */
export async function existingSession(db: Db, sessionId: string): Promise<Session> {
  const session = await getSession(db, sessionId);
  if (session === undefined) throw sessionNotFound(sessionId);
  return session;
}

/** Inserts a session without a head, so that no query returns it yet. */
export async function beginSession(db: Db, { metadata, ...session }: NewSession): Promise<void> {
  const row = { ...session, status: 'unfinished' as const, metadata: toColumn(metadata) };
  const begun = await db
    .insert(sessions)
    .values({ ...row, checksum: rowChecksum('sessions', row) })
    .onConflictDoNothing()
    .returning({ id: sessions.id });
  if (begun.length > 0) return;
  throw (await getSession(db, session.id)) === undefined
    ? sessionGoing(session.id)
    : sessionExists(session.id);
}

/** Creates the head of a session made by `beginSession`, so that queries return it. */
export async function openSession(
  db: Db,
  sessionId: string,
  { createdAt, lastSequence, patch }: { createdAt: number; lastSequence: number; patch?: SessionPatch },
): Promise<Session> {
  await changeSession(db, sessionId, { ...patch, status: patch?.status ?? 'active' });
  const fresh = { lastEvent: 0, epoch: 0, appends: 0 };
  await db.insert(heads).values({ sessionId, updatedAt: createdAt, lastSequence, ...fresh });
  return existingSession(db, sessionId);
}

/** Changes a session without its head. @throws {LonghaulError} `session_not_found` */
export async function changeSession(db: Db, sessionId: string, patch: SessionPatch): Promise<void> {
  await setColumns(db, sessionId, await columnsOf(db, sessionId, patch));
}

async function columnsOf(
  db: Db,
  sessionId: string,
  { metadata: patch, ...columns }: SessionPatch,
): Promise<SessionColumns> {
  if (patch === undefined) return columns;
  const isIt = eq(sessions.id, sessionId);
  const [found] = await db.select({ metadata: sessions.metadata }).from(sessions).where(isIt);
  const known = found?.metadata == null ? undefined : (readableMetadata(found.metadata) ?? undefined);
  return { ...columns, metadata: toColumn(mergedMetadata(known, patch)) };
}

async function setColumns(db: Db, sessionId: string, change: SessionColumns): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) return;
  const isIt = eq(sessions.id, sessionId);
  const [row] = await db.update(sessions).set(change).where(isIt).returning();
  if (row === undefined) throw sessionNotFound(sessionId);
  await db
    .update(sessions)
    .set({ checksum: rowChecksum('sessions', row) })
    .where(isIt);
}

type ListQuery = SessionQuery & { limit: number };

export async function listSessions(db: Db, query: ListQuery): Promise<Session[]> {
  if (query.before !== undefined) await existingSession(db, query.before);
  const found: Session[] = [];
  for (let { before } = query; ; ) {
    const page = await pageOf(db, { ...query, before });
    found.push(...page.filter((session) => isVisibleTo(session, query.visibleTo)));
    if (found.length >= query.limit || page.length < query.limit) return found.slice(0, query.limit);
    before = page.at(-1)?.id;
  }
}

/** Also returns sessions that only look as if the token may see them. */
async function pageOf(
  db: Db,
  { limit, before, search, workspace, parentId, visibleTo }: ListQuery,
): Promise<Session[]> {
  const older =
    before === undefined
      ? undefined
      : sql`${PLACE} < (SELECT place FROM sessions AS last WHERE last.id = ${before})`;
  const isWanted = and(
    older,
    worksIn(workspace),
    hasParent(parentId),
    looksVisibleTo(visibleTo),
    ...searchWords(search).map(holdsWord),
  );
  const rows = await select(db).where(isWanted).orderBy(desc(PLACE)).limit(limit);
  return rows.map(toSession);
}

/** A session's place in the order of creation. */
const PLACE = sql`${sessions}.place`;

/** Deletes the heads of the session and of its descendants. Returns their ids. `dropRest` then deletes the rows. */
export async function closeSessions(db: Db, sessionId: string): Promise<string[]> {
  await existingSession(db, sessionId);
  const family = await familyOf(db, sessionId);
  for (const id of family) {
    await setColumns(db, id, { status: 'unfinished' });
    await db.delete(heads).where(eq(heads.sessionId, id));
  }
  return family;
}

async function familyOf(db: Db, sessionId: string): Promise<string[]> {
  const children = await db
    .select({ id: sessions.id })
    .from(sessions)
    .where(eq(sessions.parentId, sessionId));
  const families = [sessionId];
  for (const { id } of children) families.push(...(await familyOf(db, id)));
  return families;
}

/** The case of ASCII letters does not matter, as in SQLite. */
function holdsWord(word: string): SQL {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
  const lower = (column: unknown) => sql`lower(${column} COLLATE "C")`;
  return sql`(${lower(sessions.title)} LIKE ${lower(sql`${pattern}::text`)} OR ${lower(sessions.task)} LIKE ${lower(sql`${pattern}::text`)})`;
}

function hasParent(parentId: SessionQuery['parentId']): SQL | undefined {
  if (parentId === undefined) return undefined;
  return parentId === null ? isNull(sessions.parentId) : eq(sessions.parentId, parentId);
}

/**
 * Leaves out most of the sessions that the token may not see. It compares text, because PostgreSQL refuses to read some
 * JSON, such as a NUL in any value.
 */
function looksVisibleTo(name: string | undefined): SQL | undefined {
  if (name === undefined || name === ADMIN_NAME) return undefined;
  const holds = (text: string) => sql`position(${text} IN ${sessions.metadata}) > 0`;
  const owns = holds(JSON.stringify({ owner: name }).slice(0, -1));
  const shares = SHARES.filter((share) => share !== 'none').map((shared) =>
    holds(`${JSON.stringify({ shared }).slice(1)}`),
  );
  return or(isNotNull(sessions.parentId), owns, ...shares);
}

function worksIn(workspace: SessionQuery['workspace']): SQL | undefined {
  if (workspace === undefined) return undefined;
  const here = eq(sessions.workspace, workspace.folder);
  if (workspace.below !== true) return here;
  return or(here, sql`starts_with(${sessions.workspace}, ${folderStart(workspace.folder)})`);
}
