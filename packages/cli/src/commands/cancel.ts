import type { CancelResult } from '@longhaul/core';
import { CANCEL_FLAGS } from '../command-line/flags.ts';
import { parseFlags, usage } from '../command-line/parse-flags.ts';
import { plural } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { withSession } from '../session/with-session.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

/** `longhaul cancel`: ends the run of a session, in whichever process it is. */
export async function cancel(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'cancel', CANCEL_FLAGS);
  const [id, ...others] = positionals;
  if (id === undefined || others.length > 0) throw usage('Name one session: longhaul cancel ID.', 'cancel');
  const clearQueue = values['clear-queue'] === true;
  return await withSession(
    id,
    { values, terminal, access: 'change', typed: ['cancel', ...argv] },
    async ({ runtime, session }) => {
      const result = await runtime.cancel(session.id, { clearQueue, force: values.force === true });
      const endedCommands = await runtime.endKeptCommands(session.id);
      const waiting = await runtime.queue.pendingCount(session.id);
      const text = values.json
        ? `${JSON.stringify({ ...result, endedCommands, waiting })}\n`
        : wrapText(cancelText(result, { clearQueue, waiting, endedCommands }), columnsOf(terminal.out));
      terminal.out.write(text);
      return 0;
    },
  );
}

function cancelText(
  { wasRunning, clearedMessages, endedPid }: CancelResult,
  {
    clearQueue,
    waiting,
    endedCommands,
  }: { clearQueue: boolean; waiting: number; endedCommands: readonly string[] },
): string {
  const kept = endedCommands.length === 0 ? '' : ` Ended ${plural(endedCommands.length, 'kept command')}.`;
  const run =
    endedPid !== undefined
      ? `The process ${endedPid} did not answer and was ended. Its run is recorded as interrupted. Finished work is kept.`
      : wasRunning
        ? 'Cancelled: the run and all its processes have ended. Finished work is kept.'
        : 'No run was working on this session.';
  const done = `${run}${kept}`;
  const messages = (count: number) =>
    count === 1 ? '1 waiting message was' : `${count} waiting messages were`;
  if (clearQueue)
    return `${done} ${clearedMessages === 0 ? 'No message waited.' : `${messages(clearedMessages)} removed.`}`;
  if (waiting === 0) return done;
  return `${done} ${plural(waiting, 'message')} in its queue ${waiting === 1 ? 'stays' : 'stay'} for the next run.`;
}
