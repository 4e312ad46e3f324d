import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import { lostEvent } from '../shared/lost-content.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import { assertDurable } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { lazy } from './lazy.ts';
import { readableRows, UNREADABLE } from './readable-rows.ts';
import { events } from './schema.ts';
import type { Head } from './session-heads.ts';

export function createEventLog(db: Drizzle, now: () => number) {
  const insert = lazy(() =>
    db
      .insert(events)
      .values({
        sessionId: sql.placeholder('sessionId'),
        number: sql.placeholder('number'),
        at: sql.placeholder('at'),
        type: sql.placeholder('type'),
        payload: sql.placeholder('payload'),
        checksum: sql.placeholder('checksum'),
      })
      .prepare(),
  );

  return {
    /** Numbers and stores the events. The caller must save the head. */
    append(head: Head, payloads: readonly EventPayload[]): LonghaulEvent[] {
      assertDurable(payloads);
      return payloads.map((payload) => {
        head.lastEvent += 1;
        const envelope = { sessionId: head.sessionId, at: now(), number: head.lastEvent };
        const row = { ...envelope, type: payload.type, payload: JSON.stringify(payload) };
        insert().run({ ...row, checksum: rowChecksum('events', row) });
        return { ...payload, ...envelope };
      });
    },

    read(sessionId: string, options: { after: number; limit: number }): LonghaulEvent[] {
      const isWanted = and(eq(events.sessionId, sessionId), gt(events.number, options.after));
      const { limit } = options;
      const inOrder = asc(events.number);
      const { payload: _payload, checksum: _checksum, ...place } = getTableColumns(events);
      const rows = readableRows(
        () => db.select().from(events).where(isWanted).orderBy(inOrder).limit(limit).all(),
        {
          keys: () => db.select(place).from(events).where(isWanted).orderBy(inOrder).limit(limit).all(),
          one: ({ number }) =>
            db
              .select()
              .from(events)
              .where(and(eq(events.sessionId, sessionId), eq(events.number, number)))
              .get(),
          lost: (key) => ({ ...key, payload: '', checksum: UNREADABLE }),
        },
      );
      return rows.map((row) => ({ ...payloadOf(row), sessionId, at: row.at, number: row.number }));
    },
  };
}

/** A damaged event must not end the stream of a session's events. */
function payloadOf(row: typeof events.$inferSelect): EventPayload {
  if (!isSoundRow('events', row)) return lostEvent(row.number);
  try {
    return JSON.parse(row.payload);
  } catch {
    return lostEvent(row.number);
  }
}

export type EventLog = ReturnType<typeof createEventLog>;
