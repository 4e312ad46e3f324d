import type { NewSession, SessionPatch, SessionQuery } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { and, desc, eq, getTableColumns, lt, or, type SQL, sql } from 'drizzle-orm';
import { parseColumn, toColumn, withoutNulls } from '../shared/json.ts';
import { folderStart, searchWords } from '../shared/session-search.ts';
import { sessionExists, sessionNotFound } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { heads, sessions } from './schema.ts';
import type { SessionHeads } from './session-heads.ts';

type SessionRow = typeof sessions.$inferSelect & { updatedAt: number };

export function createSessionTable(db: Drizzle, sessionHeads: SessionHeads) {
  const rows = () =>
    db
      .select({ ...getTableColumns(sessions), updatedAt: heads.updatedAt })
      .from(sessions)
      .innerJoin(heads, eq(heads.sessionId, sessions.id));

  function get(sessionId: string): Session | undefined {
    const row = rows().where(eq(sessions.id, sessionId)).get();
    return row === undefined ? undefined : toSession(row);
  }

  function existing(sessionId: string): Session {
    const session = get(sessionId);
    if (session === undefined) throw sessionNotFound(sessionId);
    return session;
  }

  /** Inserts a session without a head, so that no query returns it yet. */
  function begin({ metadata, ...session }: NewSession): void {
    if (get(session.id) !== undefined) throw sessionExists(session.id);
    const row = { ...session, status: 'active' as const, metadata: toColumn(metadata) };
    db.insert(sessions).values(row).run();
  }

  /** Creates the head of a session made by `begin`, so that queries return it. */
  function open(
    sessionId: string,
    { createdAt, lastSequence }: { createdAt: number; lastSequence: number },
  ): Session {
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

    list({ limit, before, search, workspace }: SessionQuery & { limit: number }): Session[] {
      const last = before === undefined ? undefined : existing(before);
      const older =
        last &&
        or(
          lt(sessions.createdAt, last.createdAt),
          and(eq(sessions.createdAt, last.createdAt), lt(sessions.id, last.id)),
        );
      return rows()
        .where(and(older, worksIn(workspace), ...searchWords(search).map(holdsWord)))
        .orderBy(desc(sessions.createdAt), desc(sessions.id))
        .limit(limit)
        .all()
        .map(toSession);
    },

    update(sessionId: string, { metadata, ...patch }: SessionPatch): Session {
      const head = sessionHeads.of(sessionId);
      const change = { ...patch, ...(metadata === undefined ? {} : { metadata: toColumn(metadata) }) };
      if (Object.values(change).some((value) => value !== undefined)) {
        db.update(sessions).set(change).where(eq(sessions.id, sessionId)).run();
      }
      sessionHeads.save(head);
      return existing(sessionId);
    },

    setStatus(sessionId: string, status: Session['status']): void {
      db.update(sessions).set({ status }).where(eq(sessions.id, sessionId)).run();
    },

    /** Deletes the session's head, so that no query returns it. `dropRest` then deletes its rows. */
    close(sessionId: string): void {
      existing(sessionId);
      sessionHeads.drop(sessionId);
    },
  };
}

export type SessionTable = ReturnType<typeof createSessionTable>;

function holdsWord(word: string): SQL {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
  return sql`(${sessions.title} LIKE ${pattern} ESCAPE '\\' OR ${sessions.task} LIKE ${pattern} ESCAPE '\\')`;
}

function worksIn(workspace: SessionQuery['workspace']): SQL | undefined {
  if (workspace === undefined) return undefined;
  const here = eq(sessions.workspace, workspace.folder);
  if (workspace.below !== true) return here;
  const start = folderStart(workspace.folder);
  return or(here, sql`substr(${sessions.workspace}, 1, length(${start})) = ${start}`);
}

function toSession({ metadata, ...row }: SessionRow): Session {
  const column = { table: 'sessions', id: row.id };
  const parsed = metadata === null ? null : parseColumn<NonNullable<Session['metadata']>>(metadata, column);
  return withoutNulls({ ...row, metadata: parsed });
}
