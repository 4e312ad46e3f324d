import type { Compaction, Message } from '@longhaul/protocol';

/**
 * Returns the sequence of the last message when a compaction was made. It is never before a message that it hid, even
 * if the clock was put back.
 */
export function sequenceWhenMade(
  { createdAt }: Compaction,
  { messages, hidden }: { messages: readonly Message[]; hidden: readonly Message[] },
): number {
  const last = messages.findLast((message) => message.createdAt <= createdAt);
  return Math.max(last?.sequence ?? 0, hidden.at(-1)?.sequence ?? 0);
}
