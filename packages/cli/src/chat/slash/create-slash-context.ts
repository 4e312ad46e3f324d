import { wrapText } from '../../render/word-wrapper.ts';
import type { Connection } from '../connection/connection.ts';
import type { Front } from '../front.ts';
import type { SlashContext } from './slash-command.ts';

const ESCAPE = '\u001b';

type OfChat = Pick<SlashContext, 'conversation' | 'send' | 'openSession' | 'options' | 'log'>;

/** Returns what a command can use at this moment. */
export function createSlashContext(
  front: Front,
  { client, local }: Connection,
  ofChat: OfChat,
): SlashContext {
  const { paint, colors, surface, terminal, columns } = front;
  return {
    ...ofChat,
    client,
    local,
    surface,
    terminal,
    paint,
    colors,
    columns,
    // A table has its own lines, and a sentence is broken at words.
    print: (text) => surface.print(isSentence(text) ? wrapText(text, columns) : text),
    compose: (text) => front.compose(text),
    leave: () => front.leave(),
  };
}

function isSentence(text: string): boolean {
  return !text.trimEnd().includes('\n') && !text.includes(ESCAPE);
}
