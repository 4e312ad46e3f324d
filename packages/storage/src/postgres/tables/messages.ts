import type { MessageDraft } from '@longhaul/core';
import type { Message } from '@longhaul/protocol';
import { partRow } from '../../shared/part-rows.ts';
import { messageRow } from '../appends/session-state.ts';
import type { Db } from '../connection.ts';
import { messages, parts } from '../schema.ts';
import { searchVector } from '../search-vector.ts';

const ROWS_AT_ONCE = 500;

/** Assigns messages their sequences and stores them with their parts. The caller must save the head. */
export async function addMessages(
  db: Db,
  head: { sessionId: string; lastSequence: number },
  drafts: readonly MessageDraft[],
): Promise<Message[]> {
  const { sessionId } = head;
  const added = drafts.map((draft): Message => {
    head.lastSequence += 1;
    return { ...draft, sessionId, sequence: head.lastSequence };
  });
  const partRows = added.flatMap(({ id: messageId, sequence, parts: of }) =>
    of.map((part, index) => ({
      ...partRow({ messageId, index }, part),
      sessionId,
      sequence,
      search: searchVector(part) ?? null,
    })),
  );
  await inserted(added.map(messageRow), (some) => db.insert(messages).values(some));
  await inserted(partRows, (some) => db.insert(parts).values(some));
  return added;
}

/** Limits the number of query parameters. */
export async function inserted<Row>(
  rows: readonly Row[],
  insert: (some: Row[]) => PromiseLike<unknown>,
): Promise<void> {
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE)
    await insert(rows.slice(start, start + ROWS_AT_ONCE));
}
