import type { Part } from '@longhaul/protocol';
import { and, eq, sql } from 'drizzle-orm';
import { lazy } from '../shared/lazy.ts';
import {
  isOpenRow,
  isStreaming,
  isText,
  type PartTarget,
  partRow,
  wholeCharacters,
} from '../shared/part-rows.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import { messageNotInSession, partIsClosed, partLeavesHole } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import type { PartSearch } from './part-search.ts';
import { messages, partChunks, parts } from './schema.ts';

/**
 * Parts and their streaming texts. A streaming text is flushed many times while it grows. Each flush appends the new
 * text as a chunk, and the whole text is written once when the part closes. So the work is linear in the text's length.
 */
export function createPartTable(db: Drizzle, search: PartSearch) {
  const statements = prepareStatements(db);
  /** The stored text of each streaming part, by the part's key, as written by this connection. */
  const streamed = new Map<number, string>();

  function insert(messageId: string, index: number, part: Part): void {
    // RETURNING would also return the key, but takes seven times as long.
    const { lastInsertRowid } = statements.insert().run(partRow({ messageId, index }, part));
    const key = Number(lastInsertRowid);
    remember(key, part);
    search.add(key, part);
  }

  function update(key: number, target: PartTarget, part: Part): void {
    const before = streamed.get(key);
    if (before !== undefined && isStreaming(part) && part.text.startsWith(before)) {
      const text = wholeCharacters(part.text);
      if (text.length > before.length) {
        const chunk = { partKey: key, text: text.slice(before.length) };
        statements.appendChunk().run({ ...chunk, checksum: rowChecksum('part_chunks', chunk) });
        streamed.set(key, text);
      }
      return;
    }
    statements.update().run({ key, ...partRow(target, part) });
    if (isText(part)) statements.dropChunks().run({ partKey: key });
    remember(key, part);
    search.add(key, part);
  }

  function remember(key: number, part: Part): void {
    if (streamed.size > 1000) streamed.clear();
    // A text that ends inside a surrogate pair is not remembered, because a chunk must not end there.
    if (isStreaming(part) && wholeCharacters(part.text) === part.text) streamed.set(key, part.text);
    else streamed.delete(key);
  }

  return {
    insert,
    /** Returns the sequence of the message. */
    put(sessionId: string, target: PartTarget, part: Part): number {
      const { messageId, index } = target;
      const place = statements.place().get({ messageId, index });
      if (place === undefined || place.sessionId !== sessionId) {
        throw messageNotInSession(messageId, sessionId);
      }
      if (place.key === null) {
        if (index !== place.count) throw partLeavesHole(messageId, index, place.count);
        insert(messageId, index, part);
      } else {
        if (!isOpenRow(place)) throw partIsClosed(messageId, index);
        update(place.key, target, part);
      }
      return place.sequence;
    },
    /** Call this after a rollback or after another connection's commit: the stored texts are then unknown. */
    forget: () => streamed.clear(),
  };
}

export type PartTable = ReturnType<typeof createPartTable>;

function prepareStatements(db: Drizzle) {
  const body = {
    type: sql.placeholder('type'),
    state: sql.placeholder('state'),
    body: sql.placeholder('body'),
    checksum: sql.placeholder('checksum'),
  };
  return {
    insert: lazy(() =>
      db
        .insert(parts)
        .values({ messageId: sql.placeholder('messageId'), index: sql.placeholder('index'), ...body })
        .prepare(),
    ),
    update: lazy(() =>
      db
        .update(parts)
        .set({
          type: sql`${body.type}`,
          state: sql`${body.state}`,
          body: sql`${sql.param(body.body, parts.body)}`,
          checksum: sql`${body.checksum}`,
        })
        .where(eq(parts.key, sql.placeholder('key')))
        .prepare(),
    ),
    appendChunk: lazy(() =>
      db
        .insert(partChunks)
        .values({
          partKey: sql.placeholder('partKey'),
          text: sql.placeholder('text'),
          checksum: sql.placeholder('checksum'),
        })
        .prepare(),
    ),
    dropChunks: lazy(() =>
      db
        .delete(partChunks)
        .where(eq(partChunks.partKey, sql.placeholder('partKey')))
        .prepare(),
    ),
    place: lazy(() =>
      db
        .select({
          sessionId: messages.sessionId,
          sequence: messages.sequence,
          count: sql<number>`(SELECT coalesce(max(part_index) + 1, 0) FROM parts WHERE message_id = ${messages.id})`,
          key: parts.key,
          type: parts.type,
          state: parts.state,
        })
        .from(messages)
        .leftJoin(parts, and(eq(parts.messageId, messages.id), eq(parts.index, sql.placeholder('index'))))
        .where(eq(messages.id, sql.placeholder('messageId')))
        .prepare(),
    ),
  };
}
