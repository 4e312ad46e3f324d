import { DIFF_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { fileChangeLines } from '../render/file-change-lines.ts';
import { createPaint } from '../render/paint.ts';
import { paintedDiff } from '../render/painted-diff.ts';
import { withSession } from '../session/with-session.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul diff`: shows what a session, a turn or a step changed in the workspace, as a patch for `git apply`. */
export async function diff(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'diff', DIFF_FLAGS);
  const [id, target, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul diff ID [HANDLE].', 'diff');
  const paint = createPaint(wantsColors(terminal, values['no-color']));
  return await withSession(
    id,
    { values, terminal, access: 'read', typed: ['diff', ...argv] },
    async ({ session, runtime: { files } }) => {
      const range = await files.treesOf(session.id, target);
      if (range === undefined) {
        terminal.err.write('No files were recorded in this session.\n');
        return 0;
      }
      const { before, after } = range;
      if (values.json || values.stat) {
        const changes = await files.changes(before, after);
        terminal.out.write(
          values.json
            ? `${JSON.stringify({ before, after, ...changes })}\n`
            : fileChangeLines(changes, { paint }),
        );
        return 0;
      }
      for await (const piece of files.diff(before, after)) terminal.out.write(paintedDiff(piece, paint));
      return 0;
    },
  );
}
