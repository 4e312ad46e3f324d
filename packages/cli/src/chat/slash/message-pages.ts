import type { LonghaulClient } from '@longhaul/client';
import type { ListedMessage } from '@longhaul/protocol/api';

const PAGE = 200;

/** Reads the messages of a session, the newest page first. The messages of a page are in order. */
export async function* messagePages(
  client: Pick<LonghaulClient, 'messages'>,
  sessionId: string,
): AsyncGenerator<readonly ListedMessage[]> {
  for (let before: number | undefined; ; ) {
    const range = before === undefined ? {} : { before };
    const { messages, hasMore } = await client.messages(sessionId, { limit: PAGE, ...range });
    yield messages;
    before = messages[0]?.sequence;
    if (!hasMore || before === undefined) return;
  }
}
