import { UNDO_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { undoText } from '../render/undo-text.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul undo`: undoes the newest compaction, or restores what was left out for a server after it. */
export async function undo(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'undo', UNDO_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul undo ID.', 'undo');
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['undo', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.undoCompaction(session.id);
      terminal.out.write(
        values.json ? `${JSON.stringify(result)}\n` : undoText(result, columnsOf(terminal.out)),
      );
      return 0;
    },
  );
}
