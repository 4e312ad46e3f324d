import type { Store } from '@longhaul/core';
import { blobReference, type Part, type UserMessageContentPart } from '@longhaul/protocol';

const PAGE = 200;

/**
 * Whether a session contains a blob: as an image, a file or the whole text of an output. Texts and arguments that look
 * like its reference do not count, because anybody can write them.
 */
export async function holdsBlob(
  store: Pick<Store, 'readMessages' | 'listQueue'>,
  sessionId: string,
  blobId: string,
): Promise<boolean> {
  const reference = blobReference(blobId);
  const queued = await store.listQueue(sessionId);
  if (queued.some(({ content }) => content.some((part) => dataOf(part) === reference))) return true;
  for (let after = 0; ; ) {
    const { messages } = await store.readMessages(sessionId, { after, limit: PAGE });
    if (messages.some(({ parts }) => parts.some((part) => namesOf(part).includes(reference)))) return true;
    const last = messages.at(-1);
    if (last === undefined) return false;
    after = last.sequence;
  }
}

function namesOf(part: Part): (string | undefined)[] {
  if (part.type === 'file') return [part.data];
  return part.type === 'tool' ? [part.fullOutput, ...(part.output ?? []).map(dataOf)] : [];
}

function dataOf(part: UserMessageContentPart): string | undefined {
  return part.type === 'text' ? undefined : part.data;
}
