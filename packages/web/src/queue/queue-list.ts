import type { QueuedMessage, UserMessageContentPart } from '@longhaul/protocol';

/** Text of waiting messages that was changed and not saved, by the message's id. */
export type Edits = ReadonlyMap<string, Edit>;

export interface Edit {
  text: string;
  /** The message as it was when the edit began. */
  message: QueuedMessage;
}

/** A line of the list: a waiting message, or one that was delivered or removed while it was edited. */
export interface QueueLine {
  message: QueuedMessage;
  /** From 1. Undefined: the message does not wait any more. */
  position: number | undefined;
  /** The changed text. */
  text: string | undefined;
}

export function queueLines(queue: readonly QueuedMessage[], edits: Edits): readonly QueueLine[] {
  const waiting = new Set(queue.map(({ id }) => id));
  const gone = [...edits].filter(([id]) => !waiting.has(id));
  return [
    ...gone.map(([, { message, text }]) => ({ message, position: undefined, text })),
    ...queue.map((message, index) => ({ message, position: index + 1, text: edits.get(message.id)?.text })),
  ];
}

/** The text that a person typed: the first one, because attached texts follow it. */
export function textOfQueued({ content }: QueuedMessage): string {
  return content[0]?.type === 'text' ? content[0].text : '';
}

/** The content with another text. Files stay. */
export function withText({ content }: QueuedMessage, text: string): UserMessageContentPart[] {
  const rest = content[0]?.type === 'text' ? content.slice(1) : content;
  return text.trim() === '' ? rest : [{ type: 'text', text: text.trim() }, ...rest];
}

/** What a message has beside its text, in words. Empty: nothing. */
export function filesOfQueued({ content }: QueuedMessage): string {
  const files = content.slice(content[0]?.type === 'text' ? 1 : 0);
  if (files.length === 0) return '';
  return `with ${files.length} ${files.length === 1 ? 'file' : 'files'}`;
}
