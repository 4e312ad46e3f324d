import type { ListedMessage } from '@longhaul/protocol/api';

/** A message of a person, and all that the agent did for it. */
export interface Turn {
  handle: string;
  text: string;
  isReverted: boolean;
}

const MAX_CHARS = 80;

/** The turns of the loaded messages, newest first. */
export function turnsOf(messages: readonly ListedMessage[]): Turn[] {
  return messages
    .filter(({ role, metadata }) => role === 'user' && metadata?.synthetic === undefined)
    .map(({ parts, visibility }) => ({
      handle: visibility.handle,
      text: firstLine(parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(' ')),
      isReverted: visibility.isReverted === true,
    }))
    .reverse();
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line;
}
