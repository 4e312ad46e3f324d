import type { ListedMessage } from '@longhaul/protocol/api';

/**
 * Merges newly read messages into loaded ones, both in ascending order. Messages that have not changed stay the same
 * objects, so that they are not rendered again.
 */
export function mergeMessages(
  loaded: readonly ListedMessage[],
  read: readonly ListedMessage[],
): readonly ListedMessage[] {
  if (read.length === 0) return loaded;
  const bySequence = new Map(loaded.map((message) => [message.sequence, message]));
  let hasChanged = false;
  for (const message of read) {
    const former = bySequence.get(message.sequence);
    if (former !== undefined && isSame(former, message)) continue;
    bySequence.set(message.sequence, message);
    hasChanged = true;
  }
  if (!hasChanged) return loaded;
  return [...bySequence.values()].sort((a, b) => a.sequence - b.sequence);
}

/**
 * The sequence after which messages can still change: the first unfinished one, or the newest one, which a recorded
 * change of files may follow.
 */
export function settledUntil(messages: readonly ListedMessage[]): number {
  const open = messages.find(({ status }) => status === 'running') ?? messages.at(-1);
  return open === undefined ? 0 : open.sequence - 1;
}

function isSame(a: ListedMessage, b: ListedMessage): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
