import type { DamagedRow } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { eq } from 'drizzle-orm';
import { damageOf } from '../../shared/damaged-rows.ts';
import type { CheckedTable } from '../../shared/row-checksum.ts';
import type { RowCheck } from '../../shared/row-shapes.ts';
import type { Db } from '../connection.ts';
import { chunkKey } from '../part-keys.ts';
import {
  checkpoints,
  compactions,
  events,
  marks,
  messages,
  partChunks,
  parts,
  queue,
  sessions,
} from '../schema.ts';

/** Checks all rows of a session. */
export async function findDamage(db: Db, sessionId: string, check: RowCheck): Promise<DamagedRow[]> {
  const found: DamagedRow[] = [];
  const examine = <Row extends Record<string, unknown>>(
    table: CheckedTable,
    rows: readonly Row[],
    place: (row: Row) => { id: string; handle?: string },
  ) => {
    for (const row of rows) {
      const reason = damageOf(table, row, check);
      if (reason !== undefined) found.push({ table, ...place(row), reason });
    }
  };
  const ofMessage = await db.select().from(messages).where(eq(messages.sessionId, sessionId));
  const ofPart = await db.select().from(parts).where(eq(parts.sessionId, sessionId));
  const chunks = await db.select().from(partChunks).where(eq(partChunks.sessionId, sessionId));
  const messageIds = new Map(ofMessage.map(({ id, sequence }) => [sequence, id]));
  const partPlace = ({ sequence, index }: { sequence: number; index: number }) => ({
    id: `${messageIds.get(sequence)}/${index}`,
    handle: handleOf(sequence, index),
  });
  examine('sessions', await db.select().from(sessions).where(eq(sessions.id, sessionId)), ({ id }) => ({
    id,
  }));
  examine('messages', ofMessage, ({ id, sequence }) => ({ id, handle: handleOf(sequence) }));
  examine('parts', ofPart, partPlace);
  examine(
    'part_chunks',
    chunks.map((row) => ({ ...row, partKey: chunkKey(row) })),
    partPlace,
  );
  examine('marks', await db.select().from(marks).where(eq(marks.sessionId, sessionId)), ({ id }) => ({ id }));
  examine(
    'compactions',
    await db.select().from(compactions).where(eq(compactions.sessionId, sessionId)),
    ({ id }) => ({ id }),
  );
  examine('queue', await db.select().from(queue).where(eq(queue.sessionId, sessionId)), ({ id }) => ({ id }));
  examine('events', await db.select().from(events).where(eq(events.sessionId, sessionId)), ({ number }) => ({
    id: `${sessionId}/${number}`,
  }));
  examine(
    'checkpoints',
    await db.select().from(checkpoints).where(eq(checkpoints.sessionId, sessionId)),
    () => ({ id: sessionId }),
  );
  return found;
}
