import { LonghaulError } from '@longhaul/protocol';
import type { ProcessEnding, ProcessPlace, ProcessRecord, Store } from '../../ports/index.ts';
import type { SessionWriter } from '../session-writer.ts';
import { keptProcesses } from './kept-processes.ts';

/** A process that an earlier run has started, and that may still run. */
export interface LeftProcess {
  process: ProcessRecord;
  /** Why nobody can tell whether it runs. */
  reason: string;
}

/** What a run needs to end what earlier runs of its session have started. */
export interface ProcessEnder {
  /**
   * Ends the processes of one place: stops them, then kills them. Does not throw. Default: nothing is known of them.
   */
  endProcess?: (place: ProcessPlace) => Promise<ProcessEnding>;
  /**
   * Asks a person whether processes that cannot be checked have ended. Default: nobody can be asked, and the run does
   * not start.
   */
  confirmEnded?: (left: readonly LeftProcess[]) => Promise<boolean>;
}

const CANNOT_END: ProcessEnding = { ended: 'unknown', reason: 'this program cannot end processes' };
const SHOWN_COMMAND_CHARS = 80;

/**
 * Ends what earlier runs of the session have started and not ended, except for commands that outlive their run. The run
 * that calls this holds the session and has started nothing. Returns the number of commands that were killed.
 *
 * @throws {LonghaulError} `processes_left` if a process may still run, and no person says that it has ended.
 */
export async function endLeftProcesses(
  writer: SessionWriter,
  store: Store,
  { endProcess = async () => CANNOT_END, confirmEnded = async () => false }: ProcessEnder,
): Promise<number> {
  const { sessionId, runId } = writer.lease;
  const open = await store.listProcesses(sessionId, { open: true });
  const session = await store.getSession(sessionId);
  const kept = session === undefined ? [] : await keptProcesses(store, session);
  const isKept = ({ id }: ProcessRecord) => kept.some(({ process }) => process.id === id);
  const earlier = open.filter((process) => process.runId !== runId && !isKept(process));
  const endings = await Promise.all(
    earlier.map(async (process) => ({ process, ending: await endProcess(process.place) })),
  );
  const left: LeftProcess[] = [];
  for (const { process, ending } of endings) {
    if (ending.ended === 'unknown') left.push({ process, reason: ending.reason });
    else await store.endProcess(process.id, ending.ended);
  }
  if (left.length > 0) await assumeEnded(left, { writer, store, confirmEnded });
  return endings.filter(({ ending }) => ending.ended === 'killed').length;
}

async function assumeEnded(
  left: readonly LeftProcess[],
  {
    writer,
    store,
    confirmEnded,
  }: { writer: SessionWriter; store: Store; confirmEnded: NonNullable<ProcessEnder['confirmEnded']> },
): Promise<void> {
  const message = describeLeft(left);
  await writer.announce({ type: 'context:warning', message });
  if (!(await confirmEnded(left))) throw processesLeft(message, writer.lease.sessionId, left);
  for (const { process } of left) await store.endProcess(process.id, 'assumed');
}

/** Returns a sentence for each process that may still run. */
export function describeLeft(left: readonly LeftProcess[]): string {
  return left
    .map(({ process: { command }, reason }) => {
      const line = command.split('\n')[0] ?? '';
      const shown = line.length > SHOWN_COMMAND_CHARS ? `${line.slice(0, SHOWN_COMMAND_CHARS)}…` : line;
      return `A command of an earlier run may still be running: \`${shown}\`. It could not be ended: ${reason.replace(/\.$/, '')}.`;
    })
    .join(' ');
}

function processesLeft(message: string, sessionId: string, left: readonly LeftProcess[]): LonghaulError {
  return new LonghaulError(
    'processes_left',
    `${message} End it yourself, then confirm that (confirmEnded, or \`longhaul resume ${sessionId} --assume-ended\`).`,
    { data: { processes: left.map(({ process: { id, command }, reason }) => ({ id, command, reason })) } },
  );
}
