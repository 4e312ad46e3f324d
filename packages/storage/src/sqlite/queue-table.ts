import type { LonghaulEvent, QueuedMessage } from '@longhaul/protocol';
import { and, asc, count, eq, min } from 'drizzle-orm';
import { toColumn } from '../shared/json.ts';
import { moved } from '../shared/moved.ts';
import { queuedEvent } from '../shared/queued-event.ts';
import { toQueued } from '../shared/queued-rows.ts';
import { rowChecksum } from '../shared/row-checksum.ts';
import { queueFull } from '../shared/store-errors.ts';
import type { Drizzle } from './connection.ts';
import type { EventLog } from './event-log.ts';
import { readableRows, UNREADABLE } from './readable-rows.ts';
import { queue } from './schema.ts';
import type { Head } from './session-heads.ts';

type QueueRow = typeof queue.$inferSelect;

/** Stands for a row that cannot be read. */
const LOST_ROW: Omit<QueueRow, 'key' | 'id' | 'sessionId'> = {
  content: '',
  queuedAt: 0,
  metadata: null,
  state: 'waiting',
  position: 0,
  eventNumber: 0,
  checksum: UNREADABLE,
};

export function createQueueTable(db: Drizzle, eventLog: EventLog) {
  const ofSession = (sessionId: string, id: string) => and(eq(queue.sessionId, sessionId), eq(queue.id, id));
  const waiting = (sessionId: string) => and(eq(queue.sessionId, sessionId), eq(queue.state, 'waiting'));

  function pending(sessionId: string): number {
    return db.select({ value: count() }).from(queue).where(waiting(sessionId)).get()?.value ?? 0;
  }

  function list(sessionId: string): QueuedMessage[] {
    const inOrder = asc(queue.key);
    const rows = readableRows(
      () => db.select().from(queue).where(waiting(sessionId)).orderBy(inOrder).all(),
      {
        keys: () =>
          db
            .select({ key: queue.key, id: queue.id })
            .from(queue)
            .where(waiting(sessionId))
            .orderBy(inOrder)
            .all(),
        one: ({ key }) => db.select().from(queue).where(eq(queue.key, key)).get(),
        lost: ({ key, id }) => ({ ...LOST_ROW, key, id, sessionId }),
      },
    );
    return rows.map(toQueued);
  }

  return {
    pending,
    list,
    /** The longest-waiting first. Reads an index only, so it is fast however many messages were sent. */
    sessions(limit: number): string[] {
      return db
        .select({ sessionId: queue.sessionId })
        .from(queue)
        .where(eq(queue.state, 'waiting'))
        .groupBy(queue.sessionId)
        .orderBy(asc(min(queue.key)))
        .limit(limit)
        .all()
        .map(({ sessionId }) => sessionId);
    },

    /** The caller must save the head. It is unchanged if the id is already known. */
    add(
      head: Head,
      message: QueuedMessage,
      maxPending: number,
    ): { position: number; events: LonghaulEvent[] } {
      const { sessionId } = head;
      const known = db.select().from(queue).where(ofSession(sessionId, message.id)).get();
      if (known !== undefined) {
        const events = eventLog.read(sessionId, { after: known.eventNumber - 1, limit: 1 });
        return { position: known.position, events };
      }
      const before = pending(sessionId);
      if (before >= maxPending) throw queueFull(sessionId, before, maxPending);
      const position = before + 1;
      const events = eventLog.append(head, [queuedEvent(message, position)]);
      const json = { content: JSON.stringify(message.content), metadata: toColumn(message.metadata) };
      const row = { ...message, ...json, sessionId, position, eventNumber: head.lastEvent };
      db.insert(queue)
        .values({ ...row, state: 'waiting', checksum: rowChecksum('queue', row) })
        .run();
      return { position, events };
    },

    edit(sessionId: string, id: string, content: QueuedMessage['content']): boolean {
      const change = { content: JSON.stringify(content) };
      const one = and(ofSession(sessionId, id), waiting(sessionId));
      const row = db.update(queue).set(change).where(one).returning().get();
      if (row === undefined) return false;
      db.update(queue)
        .set({ checksum: rowChecksum('queue', row) })
        .where(one)
        .run();
      return true;
    },

    /** The waiting rows exchange their keys, which are their order. */
    move(sessionId: string, id: string, position: number): boolean {
      const rows = db
        .select({ key: queue.key, id: queue.id })
        .from(queue)
        .where(waiting(sessionId))
        .orderBy(asc(queue.key))
        .all();
      const order = moved(rows, (row) => row.id === id, position);
      if (order === undefined) return false;
      const setKey = (from: number, key: number) =>
        db.update(queue).set({ key }).where(eq(queue.key, from)).run();
      const changes = order.flatMap(({ key: from }, index) => {
        const to = rows[index]?.key ?? from;
        return from === to ? [] : [{ from, to }];
      });
      // A key is unique at every moment.
      for (const { from } of changes) setKey(from, -from);
      for (const { from, to } of changes) setKey(-from, to);
      return true;
    },

    remove(sessionId: string, id: string): boolean {
      const one = and(ofSession(sessionId, id), waiting(sessionId));
      const removed = db.update(queue).set({ state: 'removed' }).where(one).returning({ id: queue.id }).all();
      return removed.length > 0;
    },

    clear(sessionId: string): number {
      const change = { state: 'removed' as const };
      return db.update(queue).set(change).where(waiting(sessionId)).returning({ id: queue.id }).all().length;
    },

    /** Takes all waiting messages from the queue and returns them. */
    take(sessionId: string): void {
      db.update(queue).set({ state: 'taken' }).where(waiting(sessionId)).run();
    },
  };
}
