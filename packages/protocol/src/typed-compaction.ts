import type { UserMessageContentPart } from './message.ts';

const TYPED = /^\/compact(?:\s+([\s\S]*))?$/;

/** What a person types in place of a message to compact the session: `/compact`, or `/compact what to keep`. */
export interface TypedCompaction {
  /** What the summary keeps in particular. Undefined: nothing in particular. */
  focus: string | undefined;
}

/** Undefined for every other text. */
export function typedCompaction(text: string): TypedCompaction | undefined {
  const match = TYPED.exec(text.trim());
  return match === null ? undefined : { focus: match[1]?.trim() || undefined };
}

/** As `typedCompaction`, for a message that is one text. */
export function compactionOfMessage(content: readonly UserMessageContentPart[]): TypedCompaction | undefined {
  const [part, ...others] = content;
  return part?.type === 'text' && others.length === 0 ? typedCompaction(part.text) : undefined;
}
