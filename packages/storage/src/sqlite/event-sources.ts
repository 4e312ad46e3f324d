import type { Part } from '@longhaul/protocol';
import { and, asc, eq, getTableColumns, sql } from 'drizzle-orm';
import type { EventSource, MessageTexts } from '../shared/event-copies.ts';
import { CHANGED_ON_DISK, isSoundRow } from '../shared/row-checksum.ts';
import type { Drizzle } from './connection.ts';
import { lazy } from './lazy.ts';
import { messages, parts } from './schema.ts';

/** Where an event's texts are: in a part, or in all texts of a message. Sequences are stable, row ids are not. */
export interface SourcePlace {
  sessionId: string;
  sequence: number;
  /** Null: the texts of the message. */
  partIndex: number | null;
}

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
    read({ sessionId, sequence, partIndex }: SourcePlace): EventSource | undefined {
      try {
        if (partIndex === null) return textsOf(all().all({ sessionId, sequence }).map(partOf));
        const row = one().get({ sessionId, sequence, partIndex });
        return row === undefined ? undefined : partOf(row);
      } catch {
        // A damaged row. `loadLog` reports it.
        return undefined;
      }
    },
  };
}

/** @throws {Error} If the row is damaged. */
function partOf(row: typeof parts.$inferSelect): Part {
  if (!isSoundRow('parts', row)) throw new Error(CHANGED_ON_DISK);
  return JSON.parse(row.body);
}

function textsOf(all: readonly Part[]): MessageTexts | undefined {
  const joined = (type: 'text' | 'reasoning') =>
    all.map((part) => (part.type === type ? part.text : '')).join('');
  return all.length === 0 ? undefined : { text: joined('text'), reasoning: joined('reasoning') };
}
