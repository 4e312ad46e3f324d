import { sessionState } from '@longhaul/core';
import { SHOW_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { transcript } from '../render/transcript.ts';
import { readFamily } from '../session/read-family.ts';
import { readSession } from '../session/with-session.ts';
import { canAnimate, columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/**
 * `longhaul show`: prints a session and marks the messages that the model no longer sees. Returns 1 if something of it
 * is damaged.
 */
export async function show(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'show', SHOW_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul show ID.', 'show');
  return await readSession(id, { values, terminal, typed: ['show', ...argv] }, async ({ store, session }) => {
    const log = await store.loadLog(session.id);
    const state = await sessionState(store, log.session);
    const family = await readFamily(store, log.session);
    const colors = wantsColors(terminal, values['no-color']);
    const markdown = canAnimate(terminal, colors)
      ? (await import('../render/markdown.ts')).renderMarkdown
      : undefined;
    terminal.out.write(
      values.json
        ? `${JSON.stringify({ ...log, state, family })}\n`
        : transcript(log, { columns: columnsOf(terminal.out), colors, state, family, markdown }),
    );
    return log.damaged.length === 0 ? 0 : 1;
  });
}
