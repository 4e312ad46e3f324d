import type { MessageDraft, NewSession, StagedChild, StagedSession } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { count, eq } from 'drizzle-orm';
import { toHiddenMessages } from '../shared/hidden-messages.ts';
import { sessionNotFound } from '../shared/store-errors.ts';
import { dropRest } from './drop-session.ts';
import { readMessageIds } from './message-ids.ts';
import { messages, sessions } from './schema.ts';
import type { StoreCore } from './stores/store-core.ts';

/**
 * Writes a session in several transactions. It has no head until it is published, so no query returns it.
 * `collectGarbage` removes what a killed process leaves.
 */
export async function stageSession(core: StoreCore, session: NewSession): Promise<StagedSession> {
  const { id } = session;
  let lastSequence = 0;
  await core.write(() => core.sessions.begin(session));

  return {
    async append(drafts: readonly MessageDraft[]): Promise<void> {
      await core.write(() => {
        // The write may run twice.
        const head = { sessionId: id, lastSequence };
        for (const draft of drafts) core.messages.append(head, draft);
      });
      lastSequence += drafts.length;
    },

    publish({ children = [], ...end }): Promise<Session> {
      return core.write(() => {
        const published = open(core, { ...end, id, messages: lastSequence });
        for (const child of children) open(core, child);
        return published;
      });
    },

    discard: () => dropRest(core, id),
  };
}

function open(core: StoreCore, { id, messages: lastSequence, patch, marks }: StagedChild): Session {
  const stored = core.db.select({ value: count() }).from(messages).where(eq(messages.sessionId, id)).get();
  const begun = core.db
    .select({ createdAt: sessions.createdAt })
    .from(sessions)
    .where(eq(sessions.id, id))
    .get();
  // After an hour, another process may have collected it as garbage.
  if (begun === undefined || stored?.value !== lastSequence) throw sessionNotFound(id);
  const published = core.sessions.open(id, { createdAt: begun.createdAt, lastSequence, patch });
  const messageIds = readMessageIds(core.db, id);
  for (const mark of marks) {
    const isCompaction = mark.kind === 'compaction';
    core.marks.addStored(
      id,
      isCompaction ? { ...mark, hides: toHiddenMessages(mark.hides, messageIds) } : mark,
    );
  }
  return published;
}
