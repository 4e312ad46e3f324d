import { parseHandle } from '@longhaul/protocol';
import { FORK_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { copyAddress } from '../compose/session-address.ts';
import { shortId } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul fork`: copies a session, up to one of its messages, into a new one. */
export async function fork(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'fork', FORK_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul fork ID.', 'fork');
  const at = sequenceOf(values.at);
  const { title } = values;
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['fork', ...argv] },
    async ({ runtime, store, session }) => {
      const forked = await runtime.fork(session.id, {
        at,
        title,
      });
      await copyAddress(store, session.id, forked.id);
      const from = at === undefined ? 'its end' : `m${at}`;
      const text = `Forked ${shortId(session.id)} at ${from}: ${forked.id}\nTo continue it: longhaul run --session ${shortId(forked.id)} "…"`;
      terminal.out.write(
        values.json ? `${JSON.stringify(forked)}\n` : wrapText(text, columnsOf(terminal.out)),
      );
      return 0;
    },
  );
}

/** Accepts `12` and the message's handle, `m12`. */
function sequenceOf(at: string | undefined): number | undefined {
  const handle = at === undefined ? undefined : parseHandle(at);
  return handle?.sequence ?? positiveNumber(at, '--at', { whole: true });
}
