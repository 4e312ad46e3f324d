import type { Message } from '@longhaul/protocol';
import { historyUpdates } from '../updates/history-updates.ts';
import type { OpenSession } from './open-session.ts';

const PAGE = 100;

/** Sends the messages of a stored session as updates, a page at a time. Reverted messages are not sent. */
export async function replay(session: OpenSession): Promise<void> {
  const { folder, feed, workspace } = session;
  const { ids } = feed.translator;
  for await (const messages of pagesOf(session, { skipReverted: true })) {
    for (const message of messages)
      session.send(await historyUpdates(message, { folder, blobs: workspace.blobs, ids }));
    await feed.settled();
  }
}

/** Sends how full the window of a stored session is, and what the session has cost. */
export async function sendUsage(session: OpenSession): Promise<void> {
  let costUsd = 0;
  // Reverted messages have been paid too.
  for await (const messages of pagesOf(session, { skipReverted: false }))
    for (const { cost = 0 } of messages) costUsd += cost;
  await session.feed.sendUsage(costUsd);
}

async function* pagesOf(
  { id, workspace }: OpenSession,
  options: { skipReverted: boolean },
): AsyncGenerator<Message[]> {
  for (let after = 0; ; ) {
    const { messages } = await workspace.store.readMessages(id, { limit: PAGE, after, ...options });
    yield messages;
    const last = messages.at(-1);
    if (last === undefined || messages.length < PAGE) return;
    after = last.sequence;
  }
}
