import { isObject, type JsonObject, parseJson } from '@longhaul/protocol';

export interface OpencodeDatabase extends Disposable {
  /** Sessions without a parent, in the order in which they were created. */
  sessions(): { id: string; changedAt: number }[];
  /** A session as the text of an export, in pieces. */
  export(id: string): Generator<string>;
}

const TABLES = ['session', 'message', 'part'];

/** Whether the start of a file is that of an SQLite database. */
export function isDatabase(head: string): boolean {
  return head.startsWith('SQLite format 3\u0000');
}

/**
 * Opens the database in which newer versions of OpenCode keep their sessions. It is only read, and OpenCode can be
 * running.
 *
 * @throws {Error} if the file is not such a database.
 */
export async function openOpencodeDatabase(path: string): Promise<OpencodeDatabase> {
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  const isTable = (name: string) =>
    database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?").get(name) !== undefined;
  const missing = TABLES.filter((name) => !isTable(name));
  if (missing.length > 0) {
    database.close();
    throw new Error(
      `It is not a database of OpenCode that can be read: it has no table ${missing.join(', ')}.`,
    );
  }
  return {
    sessions() {
      const rows = database.prepare('SELECT * FROM session ORDER BY time_created, id').all();
      return rows
        .filter((row) => row['parent_id'] === null || row['parent_id'] === undefined)
        .map((row) => ({ id: String(row['id']), changedAt: Number(row['time_updated'] ?? 0) }));
    },
    *export(id) {
      const row = database.prepare('SELECT * FROM session WHERE id = ?').get(id) ?? {};
      const { title, directory } = row;
      yield `{"info":${JSON.stringify({ id, title, directory })},"messages":[`;
      const parts = database.prepare('SELECT id, data FROM part WHERE message_id = ? ORDER BY id');
      const messages = database.prepare(
        'SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id',
      );
      let separator = '';
      for (const message of messages.iterate(id)) {
        const all = parts.all(message['id'] ?? '').map((part) => dataOf(part['data']));
        yield `${separator}${JSON.stringify({ info: dataOf(message['data']), parts: all })}`;
        separator = ',\n';
      }
      yield ']}';
    },
    [Symbol.dispose]() {
      database.close();
    },
  };
}

/** A row that cannot be parsed stays as text, so that it counts as unread. */
function dataOf(data: unknown): JsonObject {
  const text = typeof data === 'string' ? data : String(data);
  const value = parseJson(text);
  return isObject(value) ? value : { type: 'damaged', text };
}
