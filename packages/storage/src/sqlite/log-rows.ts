import type { MessageIds } from './hidden-messages.ts';
import type { compactions, marks, messages, partChunks, parts } from './schema.ts';

/** All rows of a session's log. */
export interface LogRows extends MarkRows {
  messages: (typeof messages.$inferSelect)[];
  parts: (typeof parts.$inferSelect)[];
  chunks: (typeof partChunks.$inferSelect)[];
}

export interface MarkRows {
  marks: (typeof marks.$inferSelect)[];
  compactions: (typeof compactions.$inferSelect)[];
  /** Ids of all messages of the session; empty if it has no compactions. */
  messageIds: MessageIds;
}
