import type { Connection } from '../connection/connection.ts';
import type { Front } from '../front.ts';
import type { SlashContext } from './slash-command.ts';

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
    print: (text) => surface.print(text),
    compose: (text) => front.compose(text),
    leave: () => front.leave(),
  };
}
