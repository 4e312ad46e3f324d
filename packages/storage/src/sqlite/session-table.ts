import type { NewSession, SessionPatch, SessionQuery } from '@longhaul/core';
import { ACCESS_KEY, ADMIN_NAME, type Session } from '@longhaul/protocol';
import { and, desc, eq, getTableColumns, isNull, lt, or, type SQL, sql } from 'drizzle-orm';
import { toColumn } from '../shared/json.ts';
import { mergedMetadata } from '../shared/merged-metadata.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import { readableMetadata, type SessionRow, toSession } from '../shared/session-rows.ts';
import {
  folderStart,
  isChildOf,
  isVisibleTo,
  searchWords,
  sessionHolds,
  sessionWorksIn,
} from '../shared/session-search.ts';
import { sessionExists, sessionGoing, sessionNotFound } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { UNREADABLE, unlessDamaged } from './readable-rows.ts';
import { heads, sessions } from './schema.ts';
import type { SessionHeads } from './session-heads.ts';

type SessionPlace = Pick<SessionRow, 'id' | 'createdAt' | 'updatedAt'>;

/** Stands for a row that cannot be read. */
const LOST_ROW: Omit<SessionRow, keyof SessionPlace> = {
  status: 'failed',
  task: '',
  title: '[damaged on disk]',
  model: '',
  workspace: '/',
  metadata: null,
  checksum: UNREADABLE,
  parentId: null,
  parentCallId: null,
  summary: null,
};

/** A session's place in the order of creation. Its time is not: the clock can be set back between two sessions. */
const PLACE = sql`${sessions}.rowid`;

export function createSessionTable(db: Drizzle, sessionHeads: SessionHeads) {
  const rows = () =>
    db
      .select({ ...getTableColumns(sessions), updatedAt: heads.updatedAt })
      .from(sessions)
      .innerJoin(heads, eq(heads.sessionId, sessions.id));

  /** The columns of a session that are stored in front of its task, which may be large. */
  const ids = () =>
    db
      .select({ id: sessions.id, createdAt: sessions.createdAt, updatedAt: heads.updatedAt })
      .from(sessions)
      .innerJoin(heads, eq(heads.sessionId, sessions.id));

  /** Reads each session on its own, because the row of one is damaged. */
  function readEach(places: readonly SessionPlace[]): Session[] {
    return places.flatMap((place) => {
      const row = unlessDamaged(() => rows().where(eq(sessions.id, place.id)).get());
      return toSession(row ?? { ...LOST_ROW, ...place });
    });
  }

  function get(sessionId: string): Session | undefined {
    const isIt = eq(sessions.id, sessionId);
    const found = unlessDamaged(() => rows().where(isIt).all());
    return found === undefined ? readEach(ids().where(isIt).all())[0] : found.map(toSession)[0];
  }

  function existing(sessionId: string): Session {
    const session = get(sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  function familyOf(sessionId: string): string[] {
    const children = db
      .select({ id: sessions.id })
      .from(sessions)
      .where(eq(sessions.parentId, sessionId))
      .all();
    return [sessionId, ...children.flatMap(({ id }) => familyOf(id))];
  }

  function set(sessionId: string, change: Partial<typeof sessions.$inferInsert>): void {
    const isIt = eq(sessions.id, sessionId);
    const row = db.update(sessions).set(change).where(isIt).returning().get();
    if (row === undefined) throw sessionNotFound(sessionId);
    db.update(sessions)
      .set({ checksum: rowChecksum('sessions', row) })
      .where(isIt)
      .run();
  }

  function columnsOf(
    sessionId: string,
    { metadata: patch, ...columns }: SessionPatch,
  ): Partial<typeof sessions.$inferInsert> {
    if (patch === undefined) return columns;
    const found = db
      .select({ metadata: sessions.metadata })
      .from(sessions)
      .where(eq(sessions.id, sessionId))
      .get();
    const known = found?.metadata == null ? undefined : (readableMetadata(found.metadata) ?? undefined);
    return { ...columns, metadata: toColumn(mergedMetadata(known, patch)) };
  }

  /** Inserts a session without a head, so that no query returns it yet. */
  function begin({ metadata, ...session }: NewSession): void {
    if (get(session.id) !== undefined) throw sessionExists(session.id);
    const rest = db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, session.id)).get();
    if (rest !== undefined) throw sessionGoing(session.id);
    const row = { ...session, status: 'unfinished' as const, metadata: toColumn(metadata) };
    db.insert(sessions)
      .values({ ...row, checksum: rowChecksum('sessions', row) })
      .run();
  }

  /** Creates the head of a session made by `begin`, so that queries return it. */
  function open(
    sessionId: string,
    { createdAt, lastSequence, patch }: { createdAt: number; lastSequence: number; patch?: SessionPatch },
  ): Session {
    set(sessionId, columnsOf(sessionId, { status: 'active', ...patch }));
    sessionHeads.create(sessionId, { updatedAt: createdAt, lastSequence });
    return existing(sessionId);
  }

  return {
    get,
    existing,
    begin,
    open,
    create(session: NewSession): Session {
      begin(session);
      return open(session.id, { createdAt: session.createdAt, lastSequence: 0 });
    },

    list(query: SessionQuery & { limit: number }): Session[] {
      const { limit, before, search, workspace, parentId, visibleTo } = query;
      if (before !== undefined) existing(before);
      const older =
        before === undefined ? undefined : lt(PLACE, sql`(SELECT rowid FROM sessions WHERE id = ${before})`);
      const words = searchWords(search);
      const isWanted = and(
        older,
        worksIn(workspace),
        hasParent(parentId),
        mayBeSeenBy(visibleTo),
        ...words.map(holdsWord),
      );
      const found = unlessDamaged(() => rows().where(isWanted).orderBy(desc(PLACE)).limit(limit).all());
      if (found !== undefined) return found.map(toSession);
      const all = readEach(
        // Sorted by the plus sign, not by the table: all columns are in an index, which is read instead of damaged
        // rows.
        ids()
          .where(older)
          .orderBy(desc(sql`+${PLACE}`))
          .all(),
      );
      return all
        .filter(
          (session) =>
            sessionHolds(session, words) &&
            sessionWorksIn(session, workspace) &&
            isChildOf(session, parentId) &&
            isVisibleTo(session, visibleTo),
        )
        .slice(0, limit);
    },

    update(sessionId: string, patch: SessionPatch): Session {
      const head = sessionHeads.of(sessionId);
      const change = columnsOf(sessionId, patch);
      if (Object.values(change).some((value) => value !== undefined)) {
        set(sessionId, change);
      }
      sessionHeads.save(head);
      return existing(sessionId);
    },

    /** Changes a session without its head. */
    change(sessionId: string, patch: Omit<SessionPatch, 'metadata'>): void {
      set(sessionId, columnsOf(sessionId, patch));
    },

    /**
     * Deletes the heads of the session and of its descendants, so that no query returns them. `dropRest` then deletes
     * the rows of each returned id.
     */
    close(sessionId: string): string[] {
      existing(sessionId);
      const family = familyOf(sessionId);
      for (const id of family) {
        set(id, { status: 'unfinished' });
        sessionHeads.drop(id);
      }
      return family;
    },
  };
}

export type SessionTable = ReturnType<typeof createSessionTable>;

function holdsWord(word: string): SQL {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(${sessions.title} LIKE ${pattern} ESCAPE '\\' OR ${sessions.task} LIKE ${pattern} ESCAPE '\\')`;
}

function hasParent(parentId: SessionQuery['parentId']): SQL | undefined {
  if (parentId === undefined) return undefined;
  return parentId === null ? isNull(sessions.parentId) : eq(sessions.parentId, parentId);
}

/** As `isVisibleTo`. Metadata that cannot be read belongs to the admin alone. */
function mayBeSeenBy(name: string | undefined): SQL | undefined {
  if (name === undefined) return undefined;
  const field = (key: string) =>
    sql`CASE WHEN json_valid(${sessions.metadata}) THEN json_extract(${sessions.metadata}, ${`$.${ACCESS_KEY}.${key}`}) END`;
  const owner = sql`COALESCE(NULLIF(${field('owner')}, ''), ${ADMIN_NAME}) = ${name}`;
  return or(sql`${sessions.parentId} IS NOT NULL`, owner, sql`${field('shared')} IN ('read', 'work')`);
}

function worksIn(workspace: SessionQuery['workspace']): SQL | undefined {
  if (workspace === undefined) return undefined;
  const here = eq(sessions.workspace, workspace.folder);
  if (workspace.below !== true) return here;
  const start = folderStart(workspace.folder);
  return or(here, sql`substr(${sessions.workspace}, 1, length(${start})) = ${start}`);
}
