import type { Message } from '@longhaul/protocol';
import type { MessageDraft } from '../../ports/index.ts';

/** Key in the metadata of a note. */
const KEY = 'ofCompaction';

/** Marks a message as a note about a compaction: it asks for no answer. */
export function asCompactionNote(draft: MessageDraft): MessageDraft {
  return { ...draft, metadata: { ...draft.metadata, [KEY]: true } };
}

/**
 * Returns the messages up to the last one that is no note about a compaction. A compaction between runs can add notes
 * after a final answer, or after calls that wait for approval, and these stay the end of the conversation.
 */
export function withoutLastNotes(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ metadata }) => metadata?.[KEY] !== true);
  return messages.slice(0, last + 1);
}
