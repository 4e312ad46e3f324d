import { sessionState } from '@longhaul/core';
import { SESSIONS_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { sessionTable } from '../render/session-table.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/** `longhaul sessions`: the newest first. */
export async function sessions(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'sessions', SESSIONS_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul sessions takes no "${positionals[0]}".`, 'sessions');
  const limit = positiveNumber(values.limit, '--limit', { whole: true }) ?? 20;
  const { config } = await loadSettings(values, terminal);
  const { store } = await openStorage(config.storage.url);
  await using _store = store;
  const listed = await store.listSessions({ limit });
  const found = await Promise.all(
    listed.map(async (session) => ({ ...session, state: await sessionState(store, session) })),
  );
  if (values.json) {
    for (const session of found) terminal.out.write(`${JSON.stringify(session)}\n`);
    return 0;
  }
  const colors = wantsColors(terminal, undefined);
  terminal.out.write(sessionTable(found, { columns: columnsOf(terminal.out), colors, now: Date.now() }));
  return 0;
}
