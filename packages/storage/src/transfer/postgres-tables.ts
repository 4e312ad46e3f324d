import type { Part } from '@longhaul/protocol';
import type pg from 'pg';
import { readDatabaseId } from '../postgres/blobs/database-id.ts';
import { type Connection, connect } from '../postgres/connection.ts';
import { chunkKey } from '../postgres/part-keys.ts';
import { parsePostgresUrl, shownPostgresAddress } from '../postgres/postgres-address.ts';
import { mapPostgresError } from '../postgres/postgres-errors.ts';
import { searchVector } from '../postgres/search-vector.ts';
import { fromStoredText, toStoredText } from '../postgres/stored-text.ts';
import { dropRest } from '../postgres/tables/drop-session.ts';
import { isSoundRow, rowChecksum } from '../shared/row-checksum.ts';
import type { StoredHead, StoreTables } from './store-tables.ts';
import { HEADS, PART_CHUNKS, PARTS, type Row, type Table, type Value, whereOf } from './tables.ts';

const ROWS_AT_ONCE = 200;

/** Opens a database whose tables are those of this program. */
export async function openPostgresTables(url: string): Promise<StoreTables> {
  const parsed = parsePostgresUrl(url);
  const place = shownPostgresAddress(parsed);
  const connection = connect(parsed, { maxConnections: 2 });
  const mapped = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw mapPostgresError(error, place);
    }
  };
  try {
    return await mapped(async () => {
      const id = await readDatabaseId(connection.db, parsed.schema);
      // Blobs are copied within a transaction, and take longer than a run's transaction may.
      const client = await connection.pool.connect();
      await client.query('SET idle_in_transaction_session_timeout = 0');
      return tablesOn({ client, connection, place, id, mapped });
    });
  } catch (error) {
    await connection.pool.end();
    throw error;
  }
}

interface Opened {
  client: pg.PoolClient;
  connection: Connection;
  place: string;
  id: string;
  mapped: <T>(work: () => Promise<T>) => Promise<T>;
}

const BEGIN = { read: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', write: 'BEGIN' } as const;

function tablesOn({ client, connection, place, id, mapped }: Opened): StoreTables {
  const run = (text: string) => mapped(async () => void (await client.query(text)));
  let chunks = 0;
  return {
    place,
    id,
    begin: (access) => run(BEGIN[access]),
    commit: () => run('COMMIT'),
    rollback: () => run('ROLLBACK'),
    listHeads: () => mapped(() => headsOf(client)),
    async *rows(table, sessionId) {
      const text = `DECLARE transfer NO SCROLL CURSOR FOR ${selectOf(table)}`;
      await mapped(() => client.query(text, sessionId === undefined ? [] : [sessionId]));
      for (;;) {
        const { rows } = await mapped(() => client.query<Row>(`FETCH ${ROWS_AT_ONCE} FROM transfer`));
        if (rows.length > 0) yield rows.map((row) => toRow(table, row));
        if (rows.length < ROWS_AT_ONCE) break;
      }
      await run('CLOSE transfer');
    },
    insert: (table, rows) =>
      mapped(async () => {
        const stored = rows.map((row) => toStored(table, row, () => (chunks += 1)));
        const [first] = stored;
        if (first === undefined) return;
        const { text, values } = insertOf(table, Object.keys(first), stored);
        await client.query(text, values);
      }),
    dropRest: (sessionId) =>
      mapped(async () => {
        const head = await client.query('SELECT FROM heads WHERE session_id = $1', [sessionId]);
        const rest = await client.query('SELECT FROM sessions WHERE id = $1', [sessionId]);
        if (head.rowCount === 0 && rest.rowCount !== 0) await dropRest(connection.db, sessionId);
      }),
    async [Symbol.asyncDispose]() {
      client.release(true);
      await connection.pool.end();
    },
  };
}

async function headsOf(client: pg.PoolClient): Promise<StoredHead[]> {
  const { rows } = await client.query<Record<string, unknown>>(
    `SELECT id, last_sequence, last_event, updated_at,
      run_id IS NOT NULL AND expires_at > extract(epoch FROM clock_timestamp()) * 1000 AS is_running
    FROM sessions JOIN heads ON heads.session_id = sessions.id ORDER BY place`,
  );
  return rows.map((row) => ({
    id: String(row['id']),
    lastSequence: Number(row['last_sequence']),
    lastEvent: Number(row['last_event']),
    updatedAt: Number(row['updated_at']),
    isRunning: row['is_running'] === true,
  }));
}

function selectOf(table: Table): string {
  const { name, columns, order } = table;
  const read =
    table === PART_CHUNKS ? [...Object.keys(columns).slice(0, -1), 'checksum'] : Object.keys(columns);
  // As SQLite sorts: by bytes.
  const sorted = order.map((column) => (isText(columns[column]) ? `"${column}" COLLATE "C"` : `"${column}"`));
  return `SELECT ${read.map((column) => `"${column}"`).join(', ')} FROM ${name} ${whereOf(table, '$1::text')} ORDER BY ${sorted.join(', ')}`;
}

function toRow(table: Table, stored: Row): Row {
  const row: Record<string, Value> = {};
  for (const [name, kind] of Object.entries(table.columns)) {
    const value = stored[name] ?? null;
    if (value === null) row[name] = null;
    else if (kind === 'number') row[name] = Number(value);
    else if (kind === 'any') row[name] = fromStoredText(String(value));
    else row[name] = kind === 'piece' ? String(JSON.parse(String(value))) : String(value);
  }
  if (table === PART_CHUNKS) {
    const { text } = row;
    const partKey = keyOf(stored);
    row['is_sound'] = Number(isSoundRow('part_chunks', { partKey, text, checksum: stored['checksum'] }));
  }
  return row;
}

function isText(kind: string | undefined): boolean {
  return kind === 'text' || kind === 'any';
}

function keyOf(row: Row): string {
  return chunkKey({ sequence: Number(row['sequence']), index: Number(row['part_index']) });
}

function toStored(table: Table, row: Row, nextNumber: () => number): Row {
  const stored: Record<string, Value> = {};
  for (const [name, kind] of Object.entries(table.columns)) {
    const value = row[name] ?? null;
    if (typeof value !== 'string') stored[name] = value;
    else if (kind === 'any') stored[name] = toStoredText(value);
    else stored[name] = kind === 'piece' ? JSON.stringify(value) : value;
  }
  if (table === HEADS) stored['appends'] = 0;
  if (table === PARTS) stored['search'] = searchOf(String(row['body']));
  if (table !== PART_CHUNKS) return stored;
  const { is_sound: isSound, ...piece } = stored;
  const checksum = rowChecksum('part_chunks', { partKey: keyOf(row), text: row['text'] });
  // A damaged piece stays damaged.
  return { ...piece, number: nextNumber(), checksum: isSound === 1 ? checksum : checksum ^ 1 };
}

function insertOf(table: Table, names: readonly string[], rows: readonly Row[]) {
  const values = rows.flatMap((row) => names.map((name) => row[name] ?? null));
  const placeholders = rows.map(
    (_row, index) => `(${names.map((_name, column) => `$${index * names.length + column + 1}`).join(', ')})`,
  );
  const columns = names.map((name) => `"${name}"`).join(', ');
  const conflict = table.isShared === true ? ' ON CONFLICT DO NOTHING' : '';
  return {
    text: `INSERT INTO ${table.name} (${columns}) VALUES ${placeholders.join(', ')}${conflict}`,
    values,
  };
}

function searchOf(body: string): string | null {
  try {
    const part: Part = JSON.parse(body);
    return searchVector(part) ?? null;
  } catch {
    return null; // A damaged row: the store reports it when it is loaded.
  }
}
