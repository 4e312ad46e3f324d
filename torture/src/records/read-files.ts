import { DatabaseSync } from 'node:sqlite';
import type { PatchPart, RevertMark } from '@longhaul/protocol';
import type { RevertLine } from './lines.ts';
import { readSession } from './read-database.ts';

/** What a database says of the files of a session, read without the code that wrote it. */
export interface StoredFiles {
  /** The newest recorded tree. Undefined: nothing is recorded. */
  tree?: string;
  /** A revert that is not finished. */
  pending?: RevertLine;
  reverts: Pick<RevertMark, 'at' | 'to' | 'treeBefore' | 'treeAfter' | 'undoes'>[];
  patches: { sequence: number; part: PatchPart }[];
  /** Sequence of the last message. */
  last: number;
}

export function readFiles(path: string, sessionId: string): StoredFiles {
  const { messages } = readSession(path, sessionId);
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  try {
    database.exec('BEGIN');
    const setting = (name: string) => {
      const row = database
        .prepare('SELECT value FROM settings WHERE key = ?')
        .get(`session:${sessionId}:${name}`);
      return row === undefined ? undefined : JSON.parse(String(row['value']));
    };
    const reverts = database
      .prepare("SELECT body FROM marks WHERE session_id = ? AND kind = 'revert' ORDER BY key")
      .all(sessionId)
      .map((row) => JSON.parse(String(row['body'])));
    return {
      tree: setting('files')?.tree,
      pending: setting('revert'),
      reverts,
      patches: messages.flatMap(({ sequence, parts }) =>
        parts.flatMap(({ part }) => (part.type === 'patch' ? [{ sequence, part }] : [])),
      ),
      last: messages.at(-1)?.sequence ?? 0,
    };
  } finally {
    database.close();
  }
}
