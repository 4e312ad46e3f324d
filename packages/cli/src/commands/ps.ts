import {
  type BegunCommand,
  keptProcesses,
  loadBegunCommands,
  type Store,
  sessionState,
} from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { PS_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { openStorage } from '../compose/open-storage.ts';
import { type ListedCommand, processTable } from '../render/process-table.ts';
import { mayRun } from '../session/may-run.ts';
import { scopeOf, sessionsOf } from '../session/workspace-scope.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul ps`: lists the commands that sessions of this workspace run; with `--all`, those of every folder. */
export async function ps(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'ps', PS_FLAGS);
  if (positionals.length > 0) throw usage(`longhaul ps takes no "${positionals[0]}".`, 'ps');
  const { config, workspace, home } = await loadSettings(values, terminal);
  const { store } = await openStorage(config.storage, { access: 'read' });
  await using _store = store;
  const scope = values.all ? undefined : await scopeOf(workspace, home);
  const listed: ListedCommand[] = [];
  for await (const session of sessionsOf(store, { scope, home, withChildren: true }))
    listed.push(...(await commandsOf(store, session)));
  if (values.json) for (const each of listed) terminal.out.write(`${JSON.stringify(each)}\n`);
  else terminal.out.write(processTable(listed, { columns: columnsOf(terminal.out), now: Date.now() }));
  return 0;
}

async function commandsOf(store: Store, session: Session): Promise<ListedCommand[]> {
  const open = await store.listProcesses(session.id, { open: true });
  if (open.length === 0) return [];
  const kept = new Map(
    (await keptProcesses(store, session)).map(({ process, handle }) => [process.id, handle]),
  );
  const runs = (await sessionState(store, session)) === 'running';
  const begun: BegunCommand[] = loadBegunCommands(session);
  return open
    .filter(({ place }) => mayRun(place))
    .map(({ id, command, place, startedAt }): ListedCommand => {
      const handle = kept.get(id) ?? begun.find((each) => each.command === command)?.handle;
      const state = kept.has(id) ? 'kept' : runs ? 'running' : 'left';
      const { driver, leader, container } = place;
      return {
        sessionId: session.id,
        ...(handle !== undefined && { handle }),
        state,
        command,
        startedAt,
        sandbox: driver,
        ...(leader !== undefined && { pid: leader.pid }),
        ...(container !== undefined && { container }),
      };
    });
}
