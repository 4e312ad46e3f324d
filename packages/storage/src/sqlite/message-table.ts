import type { MessageClosing, MessageDraft } from '@longhaul/core';
import type { Message } from '@longhaul/protocol';
import { and, eq, sql } from 'drizzle-orm';
import { toColumn } from '../shared/json.ts';
import { lazy } from '../shared/lazy.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import { messageNotInSession } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import type { PartTable } from './part-table.ts';
import { messages } from './schema.ts';
import type { Head } from './session-heads.ts';

export function createMessageTable(db: Drizzle, partTable: PartTable) {
  const insert = lazy(() =>
    db
      .insert(messages)
      .values({
        id: sql.placeholder('id'),
        sessionId: sql.placeholder('sessionId'),
        sequence: sql.placeholder('sequence'),
        role: sql.placeholder('role'),
        status: sql.placeholder('status'),
        tokenCount: sql.placeholder('tokenCount'),
        createdAt: sql.placeholder('createdAt'),
        finishReason: sql.placeholder('finishReason'),
        usage: sql.placeholder('usage'),
        cost: sql.placeholder('cost'),
        model: sql.placeholder('model'),
        metadata: sql.placeholder('metadata'),
        checksum: sql.placeholder('checksum'),
      })
      .prepare(),
  );

  return {
    /** Assigns the message its sequence and stores it with its parts. The caller must save the head. */
    append(head: Pick<Head, 'sessionId' | 'lastSequence'>, draft: MessageDraft): Message {
      head.lastSequence += 1;
      const message = { ...draft, sessionId: head.sessionId, sequence: head.lastSequence };
      const { parts, finishReason = null, usage, cost = null, model = null, metadata, ...columns } = message;
      const json = { usage: toColumn(usage), metadata: toColumn(metadata) };
      const row = { ...columns, finishReason, cost, model, ...json };
      insert().run({ ...row, checksum: rowChecksum('messages', row) });
      for (const [index, part] of parts.entries()) partTable.insert(message.id, index, part);
      return message;
    },

    /** Returns the sequence of the message. */
    close(sessionId: string, messageId: string, { usage, ...closing }: MessageClosing): number {
      const row = db
        .update(messages)
        .set({ ...closing, ...(usage === undefined ? {} : { usage: JSON.stringify(usage) }) })
        .where(and(eq(messages.id, messageId), eq(messages.sessionId, sessionId)))
        .returning()
        .get();
      if (row === undefined) throw messageNotInSession(messageId, sessionId);
      const checksum = rowChecksum('messages', row);
      db.update(messages).set({ checksum }).where(eq(messages.id, messageId)).run();
      return row.sequence;
    },
  };
}
