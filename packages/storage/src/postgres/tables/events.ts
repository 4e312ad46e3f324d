import type { EventPayload, LonghaulEvent, Part } from '@longhaul/protocol';
import { and, asc, eq, gt, inArray } from 'drizzle-orm';
import type { EventSource } from '../../shared/event-copies.ts';
import {
  type EventOrigin,
  eventColumns,
  readsMessage,
  type SourcePlace,
  sourceOf,
  wholePayload,
} from '../../shared/event-rows.ts';
import { soundPart, textsOf } from '../../shared/event-sources.ts';
import { rowChecksum } from '../../shared/row-checksum.ts';
import { assertDurable } from '../../shared/store-errors.ts';
import type { Db } from '../connection.ts';
import type { Head } from '../heads.ts';
import { chunkKey } from '../part-keys.ts';
import { events, parts } from '../schema.ts';

/** Numbers and stores the events. The caller must save the head. */
export async function addEvents(
  db: Db,
  head: Head,
  { payloads, now, origin }: { payloads: readonly EventPayload[]; now: number; origin?: EventOrigin },
): Promise<LonghaulEvent[]> {
  assertDurable(payloads);
  if (payloads.length === 0) return [];
  const { sessionId } = head;
  const isRead = payloads.some((payload) => readsMessage(payload, origin));
  const place = { sessionId, sequence: origin?.sequence ?? 0, partIndex: null };
  const texts = isRead ? (await readSources(db, [place]))(place) : undefined;
  const at = Math.max(head.updatedAt, now);
  const numbered = payloads.map((payload): { row: typeof events.$inferInsert; event: LonghaulEvent } => {
    head.lastEvent += 1;
    const envelope = { sessionId, at, number: head.lastEvent };
    const own = readsMessage(payload, origin) ? texts : undefined;
    const row = { ...envelope, type: payload.type, ...eventColumns(payload, origin, own) };
    return { row: { ...row, checksum: rowChecksum('events', row) }, event: { ...payload, ...envelope } };
  });
  await db.insert(events).values(numbered.map(({ row }) => row));
  return numbered.map(({ event }) => event);
}

/** @param options `limit`: negative for all. */
export async function readEvents(
  db: Db,
  sessionId: string,
  { after, limit }: { after: number; limit: number },
): Promise<LonghaulEvent[]> {
  const wanted = db
    .select()
    .from(events)
    .where(and(eq(events.sessionId, sessionId), gt(events.number, after)))
    .orderBy(asc(events.number));
  const rows = await (limit < 0 ? wanted : wanted.limit(limit));
  const places = rows.flatMap((row) => sourceOf(row) ?? []);
  const source = await readSources(db, places);
  return rows.map((row) => {
    const place = sourceOf(row);
    const payload = wholePayload(row, place === undefined ? undefined : source(place));
    return { ...payload, sessionId, at: row.at, number: row.number };
  });
}

/** Reads what events of a session repeat. The result returns undefined for a source that was lost. */
async function readSources(
  db: Db,
  places: readonly SourcePlace[],
): Promise<(place: SourcePlace) => EventSource | undefined> {
  const [first] = places;
  if (first === undefined) return () => undefined;
  const sequences = [...new Set(places.map(({ sequence }) => sequence))];
  const rows = await db
    .select()
    .from(parts)
    .where(and(eq(parts.sessionId, first.sessionId), inArray(parts.sequence, sequences)))
    .orderBy(asc(parts.sequence), asc(parts.index));
  const bySequence = Map.groupBy(rows, ({ sequence }) => sequence);
  return ({ sequence, partIndex }) => {
    const all = bySequence.get(sequence) ?? [];
    try {
      if (partIndex === null) return textsOf(all.map(readable));
      const row = all.find(({ index }) => index === partIndex);
      return row === undefined ? undefined : readable(row);
    } catch {
      // A damaged row. `loadLog` reports it.
      return undefined;
    }
  };
}

function readable(row: typeof parts.$inferSelect): Part {
  return soundPart({ ...row, key: chunkKey(row) });
}
