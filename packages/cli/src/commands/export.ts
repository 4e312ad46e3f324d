import { EXPORT_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { findSession } from '../find-session.ts';
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
  const { session, messages, marks, damaged } = await store.loadLog(sessionId);
  const [events, queue, runs] = await Promise.all([
    store.readEvents(sessionId),
    store.listQueue(sessionId),
    store.listRuns(sessionId),
  ]);
  const whole = {
    format: 'longhaul-session',
    version: 1,
    session,
    messages,
    marks,
    queue,
    runs,
    events,
    damaged,
  };
  terminal.out.write(`${JSON.stringify(whole, null, 2)}\n`);
  return 0;
}
