import type { UndoResult } from '@longhaul/core';
import { UNDO_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { formatTokens, plural } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
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

function undoText(result: UndoResult, columns: number): string {
  if (result.status === 'nothing') return 'Nothing to undo: no compaction hides anything in this session.\n';
  if (result.status === 'restored') {
    const text = `Requests contain ${result.handles.join(', ')} again: ${formatTokens(result.tokens)} tokens. If the server still refuses this, it is left out again.`;
    return wrapText(text, columns);
  }
  const { round, shown, tokens, usableTokens, fits } = result;
  const seen = `Round ${round} is undone: the model sees ${plural(shown, 'message')} again.`;
  const of = usableTokens === undefined ? '' : ` of ${formatTokens(usableTokens)} that fit`;
  const then = fits
    ? 'Until the window is full, no compaction comes by itself.'
    : 'That is too much: the next run has to compact again.';
  return wrapText(`${seen}\nThe next request has ${formatTokens(tokens)} tokens${of}. ${then}`, columns);
}
