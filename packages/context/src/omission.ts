import { handleOf, type Message, type OmitMark, type TextContent } from '@longhaul/protocol';
import { type ActiveMarks, partKey } from './log.ts';

/** A part of a message, and the marks on it. */
export interface PartPlace {
  message: Message;
  index: number;
  marks: ActiveMarks;
}

/** Returns the mark that leaves the part, or its media, out of requests. */
export function omissionOf({ message, index, marks }: PartPlace): OmitMark | undefined {
  return marks.omitted.get(partKey(message.id, index));
}

export function omittedMedia({ mediaType }: { mediaType?: string }, place: PartPlace): TextContent {
  return { type: 'text', text: omittedText(mediaType ?? 'Image', place) };
}

/** Returns the placeholder of content that a server refused. */
export function omittedText(what: string, { message, index }: PartPlace): string {
  return `[${what} left out: the server refused it; handle ${handleOf(message.sequence, index)}]`;
}
