import { activeMarks, type ContextLog, partKey } from '@longhaul/context/engine';
import { beginsTurn, handleOf, type Mark } from '@longhaul/protocol';

/**
 * Returns a warning for each text of a user, or of another session, that the marks shorten for the first time: who wrote it expects that the
 * model reads all of it.
 */
export function cutWarnings(log: ContextLog, marks: readonly Mark[]): string[] {
  const { cuts } = activeMarks(log.marks);
  const messages = new Map(log.messages.map((message) => [message.id, message]));
  return marks.flatMap((mark) => {
    if (mark.kind !== 'cut' || cuts.has(partKey(mark.messageId, mark.partIndex))) return [];
    const message = messages.get(mark.messageId);
    const part = message?.parts[mark.partIndex];
    if (message === undefined || !beginsTurn(message) || part?.type !== 'text') return [];
    const handle = handleOf(message.sequence, mark.partIndex);
    return [
      `Message ${handleOf(message.sequence)} is too long for the window: the model gets its beginning and its end, ${mark.keepChars} of ${part.text.length} characters. The whole message is stored, and the model can read the rest with recall (handle ${handle}).`,
    ];
  });
}
