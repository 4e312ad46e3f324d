import type { Runtime } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { shortId } from '../render/format.ts';
import { wrapText } from '../render/word-wrapper.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { exitCodeOf } from './exit-code.ts';
import type { Display, RunDisplay } from './show-run.ts';

/** Resumes a session and returns the exit code; 0 if there was nothing to resume. */
export async function resumeSession(
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
  if (result?.status === 'nothing') return reportNothing(session, options);
  return shown.finished === undefined ? 1 : exitCodeOf(shown.finished);
}

/** Reports that there is nothing to resume: in the session, or in any of this workspace. */
export function reportNothing(
  session: Session | undefined,
  { terminal, display }: { terminal: Terminal; display: Display },
): number {
  const text =
    session === undefined
      ? 'Nothing to resume: every session of this folder has its answer. longhaul sessions lists them; longhaul resume --all looks in every folder.'
      : `Nothing to resume: the last turn of ${shortId(session.id)} has its answer, and no message waits. To send one: longhaul run --session ${shortId(session.id)} "…"`;
  if (display === 'events') terminal.out.write(`${JSON.stringify({ status: 'nothing' })}\n`);
  else terminal.err.write(wrapText(text, columnsOf(terminal.err)));
  return 0;
}
