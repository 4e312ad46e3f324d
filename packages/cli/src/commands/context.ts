import { CONTEXT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { contextPage } from '../render/context-page.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul context`: shows what fills a session's window. */
export async function context(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'context', CONTEXT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul context ID.', 'context');
  const windowTokens = positiveNumber(values.window, '--window', { whole: true });
  return await withSession(
    id,
    { values, terminal, access: 'read', typed: ['context', ...argv] },
    async ({ runtime, session }) => {
      const report = await runtime.contextOf(session.id, { windowTokens });
      const colors = wantsColors(terminal, values['no-color']);
      terminal.out.write(
        values.json
          ? `${JSON.stringify(report)}\n`
          : contextPage(report, { title: session.title, columns: columnsOf(terminal.out), colors }),
      );
      return 0;
    },
  );
}
