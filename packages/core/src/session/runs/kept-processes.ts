import type { Session } from '@longhaul/protocol';
import type { ProcessEnding, ProcessPlace, ProcessRecord, Store } from '../../ports/index.ts';
import { type BegunCommand, loadBegunCommands } from '../begun-commands.ts';

/** A command that outlives its run, with its stored process. */
export interface KeptProcess extends BegunCommand {
  process: ProcessRecord;
}

/**
 * Returns the kept commands of a session that may still run. The metadata of a session can be imported, and so can name
 * any process: only processes count that a run of this session has stored.
 */
export async function keptProcesses(
  store: Pick<Store, 'listProcesses'>,
  session: Pick<Session, 'id' | 'metadata'>,
): Promise<KeptProcess[]> {
  const kept = loadBegunCommands(session).filter(({ keptMark }) => keptMark !== undefined);
  if (kept.length === 0) return [];
  const open = await store.listProcesses(session.id, { open: true });
  return kept.flatMap((each) => {
    const process = open.find(({ place }) => place.mark === each.keptMark);
    return process === undefined ? [] : [{ ...each, process }];
  });
}

/**
 * Ends the kept commands of a session. The next run reports to the model that they have ended.
 *
 * @returns The commands that ran. One that cannot be checked is left out and stays recorded.
 */
export async function endKeptProcesses(
  store: Pick<Store, 'listProcesses' | 'endProcess'>,
  session: Pick<Session, 'id' | 'metadata'>,
  endProcess: (place: ProcessPlace) => Promise<ProcessEnding>,
): Promise<KeptProcess[]> {
  const ended: KeptProcess[] = [];
  for (const kept of await keptProcesses(store, session)) {
    const ending = await endProcess(kept.process.place);
    if (ending.ended === 'unknown') continue;
    await store.endProcess(kept.process.id, ending.ended);
    if (ending.ended === 'killed') ended.push(kept);
  }
  return ended;
}
