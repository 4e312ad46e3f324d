import type { Store } from '@longhaul/core';

const PAGE = 200;

/** Returns the estimated tokens in the log of a session, and then in that of each of its children, oldest first. */
export async function readLogSizes(
  store: Pick<Store, 'listSessions' | 'readMessages'>,
  sessionId: string,
): Promise<number[]> {
  const children = await store.listSessions({ parentId: sessionId });
  const ids = [sessionId, ...children.map(({ id }) => id)];
  return Promise.all(ids.map((id) => logSize(store, id)));
}

async function logSize(store: Pick<Store, 'readMessages'>, sessionId: string): Promise<number> {
  let tokens = 0;
  for (let after = 0; ; ) {
    const { messages } = await store.readMessages(sessionId, { after, limit: PAGE });
    tokens += messages.reduce((sum, message) => sum + message.tokenCount, 0);
    const last = messages.at(-1);
    if (last === undefined) return tokens;
    after = last.sequence;
  }
}
