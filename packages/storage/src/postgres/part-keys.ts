import type { messages, partChunks, parts } from './schema.ts';

/** Where a part is. It is its key: rows of the same session are read together. */
export interface PartPlace {
  sessionId: string;
  sequence: number;
  index: number;
}

/** Returns what the checksum of a chunk covers of its place. */
export function chunkKey({ sequence, index }: Omit<PartPlace, 'sessionId'>): string {
  return `${sequence}.${index}`;
}

/** The sequence of a message, in the table of messages or of what they contain. */
export type AnySequence = typeof messages.sequence | typeof parts.sequence | typeof partChunks.sequence;
