import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import {
  type EventOrigin,
  eventColumns,
  readsMessage,
  sourceOf,
  wholePayload,
} from '../shared/event-rows.ts';
import { lazy } from '../shared/lazy.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import { assertDurable } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { createEventSources } from './event-sources.ts';
import { readableRows, UNREADABLE } from './readable-rows.ts';
import { events } from './schema.ts';
import { type Head, timeIn } from './session-heads.ts';

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
        sourceSequence: sql.placeholder('sourceSequence'),
        sourcePart: sql.placeholder('sourcePart'),
      })
      .prepare(),
  );

  const sources = createEventSources(db);

  function columnsOf(payload: EventPayload, sessionId: string, origin: EventOrigin | undefined) {
    const isRead = readsMessage(payload, origin);
    const texts = isRead
      ? sources.read({ sessionId, sequence: origin.sequence, partIndex: null })
      : undefined;
    return eventColumns(payload, origin, texts);
  }

  return {
    /** Numbers and stores the events. The caller must save the head. */
    append(head: Head, payloads: readonly EventPayload[], origin?: EventOrigin): LonghaulEvent[] {
      assertDurable(payloads);
      return payloads.map((payload) => {
        head.lastEvent += 1;
        const envelope = { sessionId: head.sessionId, at: timeIn(head, now), number: head.lastEvent };
        const row = { ...envelope, type: payload.type, ...columnsOf(payload, head.sessionId, origin) };
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
      return rows.map((row) => ({
        ...wholePayload(row, sources.read(sourceOf(row))),
        sessionId,
        at: row.at,
        number: row.number,
      }));
    },
  };
}

export type EventLog = ReturnType<typeof createEventLog>;
