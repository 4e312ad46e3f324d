import type { Message } from '@longhaul/protocol';
import { importSession } from '../importers/import-session.ts';
import { partialProblem } from '../importers/partial.ts';
import type { ImportReport, RecordedCompaction, SessionFormat } from '../importers/report.ts';
import { openSession, sessionSource } from '../importers/session-source.ts';
import { openingProblem } from './find-session-files.ts';

export interface LoadedSession {
  /** Undefined if there is nothing to replay. */
  readonly messages?: readonly Message[];
  /** Why there is nothing to replay. */
  readonly problem?: string;
  readonly format?: SessionFormat | undefined;
  /** The folder in which the recorded agent worked, if the file names it. */
  readonly workspace?: string | undefined;
  /** The compactions that the recorded agent made. */
  readonly compactions?: readonly RecordedCompaction[];
  /** Content of the file that was not read, one reason a line. */
  readonly notes: readonly string[];
}

export interface LoadOptions {
  /** Whether a file that can be read only in part is loaded anyway. Default: it is a problem. */
  acceptsPartial?: boolean | undefined;
}

/**
 * Reads one session: a file, or `FILE#3` for the third session of a file. A file that is still being written is read up
 * to its current end.
 */
export async function loadSession(
  path: string,
  { acceptsPartial = false }: LoadOptions = {},
): Promise<LoadedSession> {
  const messages: Message[] = [];
  try {
    const { messages: found, report } = importSession(openSession(await sessionSource(path)));
    for await (const message of found) messages.push(message);
    const notes = notesOf(report);
    const partial = acceptsPartial ? undefined : partialProblem(report);
    const { format, workspace, compactions } = report;
    if (partial === undefined && messages.some((message) => message.role === 'assistant'))
      return { messages, notes, format, workspace, compactions };
    return { problem: report.problem ?? partial ?? 'It contains no message from a model.', notes };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    return { problem: openingProblem(error), notes: [] };
  }
}

function notesOf({ skipped }: ImportReport): string[] {
  return skipped.map(
    ({ where, reason, count }) => `${reason} (${count === 1 ? where : `${count} times, first at ${where}`})`,
  );
}
