import { createReadStream } from 'node:fs';
import type { Message } from '@longhaul/protocol';
import { importSession } from '../importers/import-session.ts';
import type { ImportReport } from '../importers/report.ts';
import { openingProblem } from './find-session-files.ts';

export interface LoadedSession {
  /** Absent when there is nothing to replay. */
  readonly messages?: readonly Message[];
  /** Why there is nothing to replay. */
  readonly problem?: string;
  /** What was left out. */
  readonly notes: readonly string[];
}

/** Reads one session file. A file that is still being written is read as far as it goes now. */
export async function loadSession(path: string): Promise<LoadedSession> {
  const messages: Message[] = [];
  try {
    const { messages: found, report } = importSession(createReadStream(path));
    for await (const message of found) messages.push(message);
    const notes = notesOf(report);
    if (messages.some((message) => message.role === 'assistant')) return { messages, notes };
    return { problem: report.problem ?? 'There is no step of a model in it.', notes };
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
