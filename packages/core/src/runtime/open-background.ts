import type { Message, Session } from '@longhaul/protocol';
import { RunBackground, type RunBackgroundOptions } from '../executor/background/run-background.ts';
import { RunningCommand } from '../executor/background/running-command.ts';
import type { Sandbox } from '../ports/index.ts';
import { saveBegunCommands, unreportedCommands } from '../session/begun-commands.ts';
import { type KeptProcess, keptProcesses } from '../session/runs/kept-processes.ts';
import type { RuntimeOptions } from './runtime-options.ts';

type BackgroundOptions = Pick<RuntimeOptions, 'store' | 'endProcess'> & {
  sandbox: Sandbox;
  messages: readonly Message[];
  announce: RunBackgroundOptions['announce'];
};

/** Opens the background commands of a run, with those that earlier runs have kept. */
export async function openBackground(session: Session, options: BackgroundOptions): Promise<RunBackground> {
  const { store, sandbox, messages, announce } = options;
  const begun = unreportedCommands(session, messages);
  const kept: RunningCommand[] = [];
  for (const each of await keptProcesses(store, session)) {
    if (!begun.some(({ handle }) => handle === each.handle)) continue;
    const followed = await follow(each, options);
    if (followed !== undefined) kept.push(followed);
  }
  return new RunBackground({
    sandbox,
    begun,
    kept,
    announce,
    save: (begun) => saveBegunCommands(store, session.id, begun),
    recordEnd: async (mark) => {
      const open = await store.listProcesses(session.id, { open: true });
      for (const { id, place } of open) if (place.mark === mark) await store.endProcess(id, 'ended');
    },
  });
}

/** A command that this sandbox cannot follow is ended, so that none runs unseen. The model gets a note. */
async function follow(
  { process, handle, command }: KeptProcess,
  { store, sandbox, endProcess }: BackgroundOptions,
): Promise<RunningCommand | undefined> {
  const { kept } = sandbox;
  const followed = kept && (await RunningCommand.follow({ handle, command }, process.place, kept));
  if (followed !== undefined) return followed;
  const ending = await endProcess?.(process.place);
  if (ending !== undefined && ending.ended !== 'unknown') await store.endProcess(process.id, ending.ended);
  return undefined;
}
