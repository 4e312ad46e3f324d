import { setImmediate } from 'node:timers/promises';
import { historyUpdates } from '../updates/history-updates.ts';
import type { OpenSession } from './open-session.ts';

const PAGE = 400;

/**
 * Sends the messages of a stored session as updates, a page at a time. Reverted messages are not sent. Other messages
 * of the client are read between pages. Ends early when the signal aborts.
 */
export async function replay(session: OpenSession, signal: AbortSignal): Promise<void> {
  const { id, folder, feed, workspace } = session;
  const { ids } = feed.translator;
  for (let after = 0; ; ) {
    await setImmediate();
    if (signal.aborted) return;
    const options = { limit: PAGE, after, skipReverted: true };
    const { messages } = await workspace.store.readMessages(id, options);
    for (const message of messages)
      session.send(await historyUpdates(message, { folder, blobs: workspace.blobs, ids }));
    await feed.settled();
    const last = messages.at(-1);
    if (last === undefined || messages.length < PAGE) return;
    after = last.sequence;
  }
}

/** Sends how full the window of a stored session is, and what the session has cost. */
export async function sendUsage({ id, feed, workspace }: OpenSession): Promise<void> {
  await feed.sendUsage(await workspace.store.costOf(id));
}
