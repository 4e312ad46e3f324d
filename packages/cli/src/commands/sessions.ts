import { agentNameOf } from '@longhaul/config';
import { descendantsOf, type Store, sessionState, spentBy } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { SESSIONS_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { type ListedSession, sessionTable } from '../render/session-table.ts';
import { scopeOf, sessionsOf } from '../session/workspace-scope.ts';
import { columnsOf, type Terminal, wantsColors } from '../terminal.ts';

/**
 * `longhaul sessions`: lists the sessions of this workspace, newest first; with `--all`, those of every folder; with
 * `--tree`, also those that other sessions have started.
 */
export async function sessions(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'sessions', SESSIONS_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul sessions takes no "${positionals[0]}".`, 'sessions');
  const limit = positiveNumber(values.limit, '--limit', { whole: true }) ?? 20;
  const { config, workspace, home } = await loadSettings(values, terminal);
  const { store } = await openStorage(config.storage, { access: 'read' });
  await using _store = store;
  const scope = values.all ? undefined : await scopeOf(workspace, home);
  const found: ListedSession[] = [];
  const queued = new Set(await store.listQueuedSessions({ limit: MAX_QUEUED }));
  const listed = (session: Session) => withState(store, session, queued);
  let count = 0;
  for await (const session of sessionsOf(store, { scope, home, withChildren: false })) {
    if (count === limit) break;
    count += 1;
    if (values.tree) for await (const member of familyOf(store, session, listed)) found.push(member);
    else found.push(await listed(session));
  }
  if (values.json) {
    for (const session of found) terminal.out.write(`${JSON.stringify(session)}\n`);
    return 0;
  }
  const hasOthers = found.length === 0 && (await store.listSessions({ limit: 1 })).length > 0;
  const colors = wantsColors(terminal, undefined);
  const options = {
    columns: columnsOf(terminal.out),
    colors,
    now: Date.now(),
    scope,
    home,
    hasOthers,
    withSummaries: values.verbose,
  };
  terminal.out.write(sessionTable(found, options));
  return 0;
}

const MAX_QUEUED = 1_000;

/** @param queued Sessions with messages that no run has taken. */
async function withState(
  store: Store,
  session: Session,
  queued: ReadonlySet<string>,
): Promise<ListedSession> {
  const state = await sessionState(store, session);
  const waits = queued.has(session.id) && MAY_WAIT.has(state);
  return { ...session, state: waits ? 'waiting' : state };
}

/** In other states, a run takes the messages, or the list says why none does, such as a failure. */
const MAY_WAIT: ReadonlySet<ListedSession['state']> = new Set(['active', 'completed']);

type Listed = (session: Session) => Promise<ListedSession>;

/** Yields a session, then those that it has started, each before its own. */
async function* familyOf(store: Store, session: Session, listed: Listed): AsyncGenerator<ListedSession> {
  const asMember = async (member: Session, depth: number) => {
    const [state, spent] = await Promise.all([listed(member), spentBy(store, member.id)]);
    return { ...state, member: { depth, agent: agentNameOf(member), ...spent } };
  };
  yield await asMember(session, 0);
  for await (const { session: child, depth } of descendantsOf(store, session.id))
    yield await asMember(child, depth);
}
