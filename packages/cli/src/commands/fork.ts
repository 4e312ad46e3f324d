import type { ForkPlace } from '@longhaul/core';
import { parseHandle } from '@longhaul/protocol';
import { FORK_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { copyAddress } from '../compose/session-address.ts';
import { shownName } from '../render/file-change-lines.ts';
import { plural, shortId } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { makeForkFolder } from '../session/fork-folder.ts';
import type { GitWorktree } from '../session/git-worktree.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** Files without recorded content that the answer names. */
const MAX_NAMED = 5;

/** `longhaul fork`: copies a session, up to one of its messages, into a new one. */
export async function fork(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'fork', FORK_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul fork ID.', 'fork');
  const at = sequenceOf(values.at);
  const { title, files: folder, worktree = false } = values;
  if (worktree && folder === undefined) throw usage('--worktree needs --files DIR.', 'fork');
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['fork', ...argv] },
    async ({ runtime, store, session }) => {
      const made =
        folder === undefined
          ? undefined
          : await makeForkFolder({ runtime, session, at, folder, isWorktree: worktree });
      const forked = await runtime.fork(session.id, { at, title, place: placeOf(made) });
      await copyAddress(store, session.id, forked.id);
      const from = at === undefined ? 'its end' : `m${at}`;
      const lines = [`Forked ${shortId(session.id)} at ${from}: ${forked.id}`];
      if (made !== undefined) lines.push(`Its files are in ${made.workspace}.`);
      if (made?.worktree !== undefined) lines.push(worktreeLine(made.worktree));
      const missing = made?.skipped ?? [];
      if (missing.length > 0)
        lines.push(
          `${plural(missing.length, 'file')} could not be written: ${missing
            .slice(0, MAX_NAMED)
            .map(({ path, reason }) => `${shownName(path)} (${reason})`)
            .join(', ')}${missing.length > MAX_NAMED ? ', …' : ''}.`,
        );
      const place = made === undefined ? '' : ` -C ${made.workspace}`;
      lines.push(`To continue it: longhaul run${place} --session ${shortId(forked.id)} "…"`);
      terminal.out.write(
        values.json ? `${JSON.stringify(forked)}\n` : wrapText(lines.join('\n'), columnsOf(terminal.out)),
      );
      return 0;
    },
  );
}

function placeOf(made: Awaited<ReturnType<typeof makeForkFolder>> | undefined): ForkPlace | undefined {
  return made && { workspace: made.workspace, git: made.worktree?.git };
}

function worktreeLine({ git, isFromStart }: GitWorktree): string {
  const which = isFromStart
    ? 'the commit at the start of the session'
    : 'the current commit, because the one at the start of the session is not known';
  return `Its branch ${git.branch} starts at ${git.commit?.slice(0, 12)}, ${which}.`;
}

/** Accepts `12` and the message's handle, `m12`. */
function sequenceOf(at: string | undefined): number | undefined {
  const handle = at === undefined ? undefined : parseHandle(at);
  return handle?.sequence ?? positiveNumber(at, '--at', { whole: true });
}
