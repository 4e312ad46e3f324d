import type { EventPayload, LonghaulEvent } from '@longhaul/protocol';
import { and, asc, eq, gt, sql } from 'drizzle-orm';
import { parseColumn } from '../shared/json.ts';
import { assertDurable } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { lazy } from './lazy.ts';
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
        insert().run({ ...envelope, type: payload.type, payload: JSON.stringify(payload) });
        return { ...payload, ...envelope };
      });
    },

    read(sessionId: string, options: { after: number; limit: number }): LonghaulEvent[] {
      const rows = db
        .select()
        .from(events)
        .where(and(eq(events.sessionId, sessionId), gt(events.number, options.after)))
        .orderBy(asc(events.number))
        .limit(options.limit)
        .all();
      return rows.map(({ payload, number, at }) => {
        const parsed = parseColumn<EventPayload>(payload, { table: 'events', id: `${sessionId}/${number}` });
        return { ...parsed, sessionId, at, number };
      });
    },
  };
}

export type EventLog = ReturnType<typeof createEventLog>;
