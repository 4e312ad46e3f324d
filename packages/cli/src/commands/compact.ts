import { COMPACT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { compactionText } from '../render/compaction-text.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul compact`: compacts a session now, or previews that. */
export async function compact(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'compact', COMPACT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul compact ID.', 'compact');
  const windowTokens = positiveNumber(values.window, '--window', { whole: true });
  using interrupt = watchInterrupts(terminal, () => {
    terminal.err.write('\nStopping; the session is not changed.\n');
  });
  return await withSession(
    id,
    { values, terminal, access: values.preview ? 'read' : 'change', typed: ['compact', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.compact(session.id, {
        signal: interrupt.signal,
        preview: values.preview ?? false,
        strategy: values.strategy,
        windowTokens,
        focus: values.focus,
      });
      const colors = wantsColors(terminal, values['no-color']);
      terminal.out.write(
        values.json
          ? `${JSON.stringify(result)}\n`
          : compactionText(result, { columns: columnsOf(terminal.out), colors, id }),
      );
      return 0;
    },
  );
}
