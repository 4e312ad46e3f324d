import { exportSession as exported } from '@longhaul/core';
import { EXPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { findSession } from '../session/find-session.ts';
import type { Terminal } from '../terminal.ts';

/** `longhaul export`: all there is of a session, as one JSON object on standard output. */
export async function exportSession(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'export', EXPORT_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0)
    throw usage('Name one session: longhaul export ID > session.json.', 'export');
  const { config } = await loadSettings(values, terminal);
  const { store } = await openStorage(config.storage.url);
  await using _store = store;
  const { id: sessionId } = await findSession(store, id);
  terminal.out.write(`${JSON.stringify(await exported(store, sessionId), null, 2)}\n`);
  return 0;
}
