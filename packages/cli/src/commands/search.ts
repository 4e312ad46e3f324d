import type { SearchHit, Store } from '@longhaul/core';
import { handleOf, type Session } from '@longhaul/protocol';
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
  const { store } = await openStorage(settings.config.storage, { access: 'read' });
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
  const matches = await withSessions(store, hits);
  const colors = wantsColors(terminal, values['no-color']);
  terminal.out.write(
    values.json
      ? matches.map((match) => `${JSON.stringify(jsonOf(match))}\n`).join('')
      : matchLines(matches, { words, columns: columnsOf(terminal.out), colors }),
  );
  return matches.length > 0 ? 0 : 1;
}

/** Adds the title of each match's session, and the session that has started it. */
async function withSessions(store: Store, hits: readonly SearchHit[]): Promise<SessionMatch[]> {
  const known = new Map<string, Session | undefined>();
  const read = async (id: string) => {
    if (!known.has(id)) known.set(id, await store.getSession(id));
    return known.get(id);
  };
  const matches: SessionMatch[] = [];
  for (const hit of hits) {
    const session = await read(hit.sessionId);
    const parent = session?.parentId === undefined ? undefined : await read(session.parentId);
    const place = parent && { id: parent.id, title: parent.title };
    matches.push({
      ...hit,
      title: session?.title ?? '',
      summary: session?.summary,
      ...(place && { parent: place }),
    });
  }
  return matches;
}

function jsonOf({
  sessionId,
  title,
  summary,
  parent,
  messageId,
  sequence,
  partIndex,
  snippet,
}: SessionMatch) {
  return {
    sessionId,
    title,
    summary,
    ...(parent && { parentId: parent.id }),
    messageId,
    handle: handleOf(sequence, partIndex),
    snippet,
  };
}
