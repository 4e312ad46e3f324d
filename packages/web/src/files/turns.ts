import { beginsTurn } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { sequenceOf } from '../conversation/rows.ts';

/** A message of a person or of another session, and all that the agent did for it. */
export interface Turn {
  /** Handles of its first and its last message. */
  handle: string;
  last: string;
  text: string;
  isReverted: boolean;
}

const MAX_CHARS = 80;

/** The turns of the loaded messages, newest first. */
export function turnsOf(messages: readonly ListedMessage[]): Turn[] {
  const turns: Turn[] = [];
  for (const message of messages) {
    const { parts, visibility } = message;
    const { handle } = visibility;
    if (beginsTurn(message)) {
      const text = firstLine(parts.flatMap((part) => (part.type === 'text' ? part.text : [])).join(' '));
      turns.push({ handle, last: handle, text, isReverted: visibility.isReverted === true });
    } else {
      const turn = turns.at(-1);
      if (turn !== undefined) turn.last = handle;
    }
  }
  return turns.reverse();
}

/** The turn that a message belongs to. Undefined if it is not loaded. */
export function turnOfMessage(turns: readonly Turn[], handle: string | undefined): Turn | undefined {
  const sequence = sequenceOf(handle);
  if (sequence === undefined) return undefined;
  return turns.find(
    (turn) => (sequenceOf(turn.handle) ?? 0) <= sequence && sequence <= (sequenceOf(turn.last) ?? 0),
  );
}

function firstLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? '';
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS)}…` : line;
}
