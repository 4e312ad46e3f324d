import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import type { Part } from '@longhaul/protocol';
import { openSqliteStore } from '@longhaul/storage/sqlite';

const PAGE = 500;

export interface DatabaseSize {
  bytes: number;
  /** Bytes of the texts that user, model and tools wrote: words, arguments of calls and outputs. */
  textBytes: number;
  /** Bytes of each table and index. */
  byTable: [name: string, bytes: number][];
}

/** Measures a database that no program has open. */
export async function measureDatabase(path: string): Promise<DatabaseSize> {
  const { size } = await stat(path);
  using database = new DatabaseSync(path, { readOnly: true });
  const rows = database
    .prepare('SELECT name, sum(pgsize) AS bytes FROM dbstat GROUP BY name ORDER BY bytes DESC')
    .all();
  const byTable = rows.map(({ name, bytes }): [string, number] => [String(name), Number(bytes)]);
  return { bytes: size, textBytes: await textBytesIn(path), byTable };
}

async function textBytesIn(path: string): Promise<number> {
  await using store = await openSqliteStore({ path });
  let bytes = 0;
  for (const { id } of await store.listSessions()) {
    for (let after = 0; ; ) {
      const { messages } = await store.readMessages(id, { after, limit: PAGE });
      const last = messages.at(-1);
      if (last === undefined) break;
      for (const part of messages.flatMap(({ parts }) => parts)) bytes += Buffer.byteLength(textOf(part));
      after = last.sequence;
    }
  }
  return bytes;
}

function textOf(part: Part): string {
  if (part.type === 'file' || part.type === 'patch') return '';
  if (part.type !== 'tool') return part.text;
  const outputs = (part.output ?? []).map((content) => (content.type === 'text' ? content.text : ''));
  return [JSON.stringify(part.input), ...outputs].join('');
}
