import type { NewSession, StagedChild, StagedSession } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { count, eq } from 'drizzle-orm';
import { toHiddenMessages } from '../shared/hidden-messages.ts';
import { sessionNotFound } from '../shared/store-errors.ts';
import type { Db } from './connection.ts';
import { messages, sessions } from './schema.ts';
import type { PostgresCore } from './stores/store-core.ts';
import { dropRest } from './tables/drop-session.ts';
import { addStoredMark, readMessageIds } from './tables/marks.ts';
import { addMessages } from './tables/messages.ts';
import { beginSession, openSession } from './tables/sessions.ts';

/** Writes a session in several transactions. It has no head until it is published, so no query returns it. */
export async function stageSession(core: PostgresCore, session: NewSession): Promise<StagedSession> {
  const { id } = session;
  let lastSequence = 0;
  await core.write(id, (db) => beginSession(db, session));

  return {
    async append(drafts) {
      await core.write(id, async (db) => {
        // The write may run twice.
        await addMessages(db, { sessionId: id, lastSequence }, drafts);
      });
      lastSequence += drafts.length;
    },

    publish({ children = [], ...end }) {
      return core.write(id, async (db) => {
        const published = await open(db, { ...end, id, messages: lastSequence });
        for (const child of children) await open(db, child);
        return published;
      });
    },

    discard: () => core.write(id, (db) => dropRest(db, id)),
  };
}

async function open(db: Db, { id, messages: lastSequence, patch, marks }: StagedChild): Promise<Session> {
  const [stored] = await db.select({ value: count() }).from(messages).where(eq(messages.sessionId, id));
  const [begun] = await db
    .select({ createdAt: sessions.createdAt })
    .from(sessions)
    .where(eq(sessions.id, id));
  // After an hour, another process may have collected it as garbage.
  if (begun === undefined || stored?.value !== lastSequence) throw sessionNotFound(id);
  const published = await openSession(db, id, { createdAt: begun.createdAt, lastSequence, patch });
  const messageIds = await readMessageIds(db, id);
  for (const mark of marks)
    await addStoredMark(
      db,
      id,
      mark.kind === 'compaction' ? { ...mark, hides: toHiddenMessages(mark.hides, messageIds) } : mark,
    );
  return published;
}
