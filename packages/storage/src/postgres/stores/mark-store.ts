import { isOnPath } from '@longhaul/context/engine';
import type { MarkStore } from '@longhaul/core';
import { assembleMarkLog } from '../../shared/log-assembler.ts';
import { readHead, saveHead } from '../heads.ts';
import { addEvents } from '../tables/events.ts';
import { readLiveRanges } from '../tables/live-path.ts';
import { readMarkRows } from '../tables/log-rows.ts';
import { addMark, getCheckpoint, putCheckpoint, undoMark } from '../tables/marks.ts';
import { addMessages } from '../tables/messages.ts';
import { changeSession } from '../tables/sessions.ts';
import type { PostgresCore } from './store-core.ts';

export function markStore(core: PostgresCore): MarkStore {
  return {
    recordCompaction: (lease, compaction, options = {}) => {
      const { marks = [], events: payloads = [], checkpoint, spans, summary, note } = options;
      const { sessionId } = lease;
      return core.held(lease, async ({ db, head, now }) => {
        await addMark(db, sessionId, { mark: { ...compaction, kind: 'compaction', sessionId }, spans });
        for (const mark of marks) await addMark(db, sessionId, { mark });
        if (checkpoint !== undefined) await putCheckpoint(db, sessionId, checkpoint);
        if (summary !== undefined) await changeSession(db, sessionId, { summary });
        const [noted] = note === undefined ? [] : await addMessages(db, head, [note]);
        const events = await addEvents(db, head, { payloads, now });
        await saveHead(db, head, now);
        return { events, ...(noted === undefined ? {} : { note: noted }) };
      });
    },

    loadCheckpoint: (sessionId) =>
      core.read(async (db) => {
        const checkpoint = await getCheckpoint(db, sessionId);
        if (checkpoint === undefined) return undefined;
        return isOnPath(await readLiveRanges(db, sessionId), checkpoint.sequence) ? checkpoint : undefined;
      }, sessionId),

    recordMarks: (lease, marks, payloads = []) =>
      core.held(lease, async ({ db, head, now }) => {
        for (const mark of marks) await addMark(db, lease.sessionId, { mark });
        if (payloads.length === 0) return [];
        const events = await addEvents(db, head, { payloads, now });
        await saveHead(db, head, now);
        return events;
      }),

    undoMark: (sessionId, markId, undoneAt) =>
      core.inSession(sessionId, ({ db }) => undoMark(db, sessionId, { markId, undoneAt })),

    async readMarks(sessionId) {
      const rows = await core.read(async (db) => {
        await readHead(db, sessionId);
        return readMarkRows(db, sessionId);
      }, sessionId);
      return assembleMarkLog(rows);
    },
  };
}
