import type { Message } from '@longhaul/protocol';
import { historyUpdates } from '../updates/history-updates.ts';
import type { OpenSession } from './open-session.ts';

const PAGE = 100;

/** Sends the messages of a stored session as updates, a page at a time. Reverted messages are not sent. */
export async function replay(session: OpenSession): Promise<void> {
  const { id, folder, workspace, translator } = session;
  const { store, blobs } = workspace;
  for (let after = 0; ; ) {
    const { messages } = await store.readMessages(id, { limit: PAGE, after, skipReverted: true });
    for (const message of messages) {
      translator.costUsd += message.cost ?? 0;
      session.send(await historyUpdates(message, { folder, blobs, ids: translator.ids }));
    }
    await session.settled();
    const last: Message | undefined = messages.at(-1);
    if (last === undefined || messages.length < PAGE) return;
    after = last.sequence;
  }
}
