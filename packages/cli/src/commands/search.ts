import { handleOf } from '@longhaul/protocol';
import { SEARCH_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { matchLines, type SessionMatch } from '../render/match-lines.ts';
import { chooseSession } from '../session/choose-session.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

const DEFAULT_LIMIT = 20;

/** `longhaul search`: searches all sessions. */
export async function search(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'search', SEARCH_FLAGS);
  const words = positionals.join(' ').trim();
  if (words === '') throw usage('Name the words to find: longhaul search "retry after".', 'search');
  const limit = positiveNumber(values.limit, '--limit', { whole: true }) ?? DEFAULT_LIMIT;
  const settings = await loadSettings(values, terminal);
  const { store } = await openStorage(settings.config.storage.url, { access: 'read' });
  await using _store = store;
  const command = {
    settings,
    all: values.all,
    access: 'read',
    typed: ['search', ...argv],
    terminal,
  } as const;
  const session =
    values.session === undefined ? undefined : await chooseSession(store, values.session, command);
  const hits = await store.search(words, {
    limit,
    sessionId: session?.id,
    includeReverted: values.reverted,
  });
  const ids = [...new Set(hits.map((hit) => hit.sessionId))];
  const sessions = new Map(
    await Promise.all(ids.map(async (id) => [id, await store.getSession(id)] as const)),
  );
  const matches = hits.map<SessionMatch>((hit) => {
    const { title = '', summary } = sessions.get(hit.sessionId) ?? {};
    return { ...hit, title, summary };
  });
  const colors = wantsColors(terminal, values['no-color']);
  terminal.out.write(
    values.json
      ? matches.map((match) => `${JSON.stringify(jsonOf(match))}\n`).join('')
      : matchLines(matches, { words, columns: columnsOf(terminal.out), colors }),
  );
  return matches.length > 0 ? 0 : 1;
}

function jsonOf({ sessionId, title, summary, messageId, sequence, partIndex, snippet }: SessionMatch) {
  return { sessionId, title, summary, messageId, handle: handleOf(sequence, partIndex), snippet };
}
