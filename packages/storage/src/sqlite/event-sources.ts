import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { EventSource } from '../shared/event-copies.ts';
import type { SourcePlace } from '../shared/event-rows.ts';
import { soundPart, textsOf } from '../shared/event-sources.ts';
import { lazy } from '../shared/lazy.ts';
import type { Drizzle } from './connection.ts';
import { messages, parts } from './schema.ts';

/** Reads what events repeat. Returns undefined if it was lost. */
export function createEventSources(db: Drizzle) {
  const ofMessage = and(
    eq(messages.sessionId, sql.placeholder('sessionId')),
    eq(messages.sequence, sql.placeholder('sequence')),
  );
  const one = lazy(() =>
    db
      .select(getTableColumns(parts))
      .from(messages)
      .innerJoin(parts, eq(parts.messageId, messages.id))
      .where(and(ofMessage, eq(parts.index, sql.placeholder('partIndex'))))
      .prepare(),
  );
  const all = lazy(() =>
    db
      .select(getTableColumns(parts))
      .from(messages)
      .innerJoin(parts, eq(parts.messageId, messages.id))
      .where(ofMessage)
      .orderBy(asc(parts.index))
      .prepare(),
  );
  return {
    read(place: SourcePlace | undefined): EventSource | undefined {
      if (place === undefined) return undefined;
      const { sessionId, sequence, partIndex } = place;
      try {
        if (partIndex === null) return textsOf(all().all({ sessionId, sequence }).map(soundPart));
        const row = one().get({ sessionId, sequence, partIndex });
        return row === undefined ? undefined : soundPart(row);
      } catch {
        // A damaged row. `loadLog` reports it.
        return undefined;
      }
    },
  };
}
