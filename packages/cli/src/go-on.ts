import type { Runtime } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { exitCodeOf } from './exit-code.ts';
import { shortId } from './render/format.ts';
import { wrapText } from './render/word-wrapper.ts';
import type { Display, RunDisplay } from './show-run.ts';
import { columnsOf, type Terminal } from './terminal.ts';

/** The exit code of a run that goes on with what is there; 0 when there is nothing. */
export async function goOn(
  runtime: Runtime,
  shown: RunDisplay,
  {
    session,
    options,
  }: { session: Session; options: { terminal: Terminal; signal: AbortSignal; display: Display } },
): Promise<number> {
  const result = await runtime.resume(session.id, { signal: options.signal }).catch((error: unknown) => {
    if (shown.finished === undefined) throw error;
    return undefined;
  });
  if (result?.status === 'nothing') return tellOfNothing(session, options);
  return shown.finished === undefined ? 1 : exitCodeOf(shown.finished);
}

/** There is nothing to go on with. */
export function tellOfNothing(
  session: Session,
  { terminal, display }: { terminal: Terminal; display: Display },
): number {
  const text = `Nothing to go on with: its last turn has an answer, and no message waits. To send one: longhaul run --session ${shortId(session.id)} "…"`;
  if (display === 'events') terminal.out.write(`${JSON.stringify({ status: 'nothing' })}\n`);
  else terminal.err.write(wrapText(text, columnsOf(terminal.err)));
  return 0;
}
