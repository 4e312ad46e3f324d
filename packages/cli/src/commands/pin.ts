import type { PinResult } from '@longhaul/core';
import { PIN_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { fitLine } from '../render/format.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul pin`: keeps a message in view. */
export function pin(argv: readonly string[], terminal: Terminal): Promise<number> {
  return change('pin', argv, terminal);
}

/** `longhaul unpin`: lets compactions hide it again. */
export function unpin(argv: readonly string[], terminal: Terminal): Promise<number> {
  return change('unpin', argv, terminal);
}

async function change(
  command: 'pin' | 'unpin',
  argv: readonly string[],
  terminal: Terminal,
): Promise<number> {
  const { values, positionals } = parseFlags(argv, command, PIN_FLAGS);
  const [id, handle, ...others] = positionals;
  if (id === undefined || handle === undefined || others.length > 0)
    throw usage(`Name a session and a message: longhaul ${command} ID m7.`, command);
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: [command, ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime[command](session.id, handle);
      terminal.out.write(
        values.json ? `${JSON.stringify(result)}\n` : pinText(command, result, columnsOf(terminal.out)),
      );
      return 0;
    },
  );
}

function pinText(command: 'pin' | 'unpin', result: PinResult, columns: number): string {
  const { handle, role, text, changed, wasHidden } = result;
  const already = command === 'pin' ? 'is already pinned' : 'is not pinned';
  const back = wasHidden ? ' The model sees it again.' : '';
  const done = changed
    ? `${command === 'pin' ? 'Pinned' : 'Unpinned'} ${handle}.${back}`
    : `${handle} ${already}.`;
  return `${done}\n${fitLine(`${role}: ${text}`, columns)}\n`;
}
