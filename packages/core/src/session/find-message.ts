import { LonghaulError, type Message, parseHandle } from '@longhaul/protocol';
import type { LogStore } from '../ports/index.ts';

/** Messages that are read at once in the search for an id. */
const PAGE = 100;

/**
 * Finds a message by its id, or by its handle or that of a part, also if it is hidden or reverted.
 *
 * @throws {LonghaulError} `not_found`
 */
export async function findMessage(
  store: Pick<LogStore, 'readMessages'>,
  sessionId: string,
  target: string,
): Promise<Message> {
  const handle = parseHandle(target);
  const found =
    handle === undefined
      ? await findById(store, sessionId, target)
      : (await store.readMessages(sessionId, { after: handle.sequence - 1, limit: 1 })).messages.find(
          ({ sequence }) => sequence === handle.sequence,
        );
  if (found !== undefined) return found;
  throw new LonghaulError(
    'not_found',
    `The session has no message ${target.slice(0, 100)}. Expected a handle such as m12, or the id of a message. \`longhaul show\` and /recall print handles.`,
  );
}

/** Searches from the newest message on. */
async function findById(
  store: Pick<LogStore, 'readMessages'>,
  sessionId: string,
  id: string,
): Promise<Message | undefined> {
  for (let before: number | undefined; ; ) {
    const { messages } = await store.readMessages(sessionId, { before, limit: PAGE });
    const found = messages.find((message) => message.id === id);
    before = messages[0]?.sequence;
    if (found !== undefined || before === undefined) return found;
  }
}
