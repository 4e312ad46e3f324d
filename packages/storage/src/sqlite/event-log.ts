import type { EventPayload, LonghaulEvent, Part } from '@longhaul/protocol';
import { and, asc, eq, getTableColumns, gt, sql } from 'drizzle-orm';
import { withCopies, withoutCopies } from '../shared/event-copies.ts';
import { lostEvent } from '../shared/lost-content.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import { assertDurable } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import { createEventSources } from './event-sources.ts';
import { lazy } from './lazy.ts';
import { readableRows, UNREADABLE } from './readable-rows.ts';
import { events } from './schema.ts';
import { type Head, timeIn } from './session-heads.ts';

/** The message, or its part, that the events of a write report. */
export interface EventOrigin {
  sequence: number;
  part?: { index: number; part: Part };
}

/** A shorter text is not worth reading its message. */
const MIN_TEXT_CHARS = 200;

function hasLongText(payload: EventPayload): boolean {
  if (payload.type === 'run:finished') return payload.text.length >= MIN_TEXT_CHARS;
  if (payload.type !== 'llm:response') return false;
  return payload.content.length + (payload.reasoning ?? '').length >= MIN_TEXT_CHARS;
}

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

  /** A text that an event repeats is stored once: an event names its place instead. */
  function columnsOf(payload: EventPayload, sessionId: string, origin: EventOrigin | undefined) {
    const whole = { payload: JSON.stringify(payload), sourceSequence: null, sourcePart: null };
    if (origin === undefined) return whole;
    const { sequence, part } = origin;
    const partIndex = part?.index ?? null;
    const isRead = part === undefined && hasLongText(payload);
    const source = part?.part ?? (isRead ? sources.read({ sessionId, sequence, partIndex }) : undefined);
    const rest = source === undefined ? undefined : withoutCopies(payload, source);
    if (rest === undefined) return whole;
    return { payload: JSON.stringify(rest), sourceSequence: sequence, sourcePart: partIndex };
  }

  function wholePayload(row: typeof events.$inferSelect): EventPayload {
    const payload = payloadOf(row);
    const { sessionId, sourceSequence: sequence, sourcePart: partIndex, type } = row;
    if (sequence === null || payload.type !== type) return payload;
    return withCopies(payload, sources.read({ sessionId, sequence, partIndex }));
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
      return rows.map((row) => ({ ...wholePayload(row), sessionId, at: row.at, number: row.number }));
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
