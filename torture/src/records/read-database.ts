import { createHash } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { inflateSync } from 'node:zlib';
import type { EventPayload, Message, Part, RevertMark } from '@longhaul/protocol';

/** A session as stored, read without any of the code that wrote it. */
export interface StoredSession {
  messages: StoredMessage[];
  runs: StoredRun[];
  events: StoredEvent[];
  /** Ids of messages that are still waiting. */
  waiting: string[];
  /** Compactions that have a summary, and reverts, in the order in which they were made. */
  marks: StoredMark[];
  compactions: number;
  prunes: number;
  /** Problems that SQLite's own checks find. */
  problems: string[];
}

export interface StoredMessage extends Pick<Message, 'id' | 'sequence' | 'role' | 'status'> {
  parts: StoredPart[];
}

export interface StoredPart {
  index: number;
  part: Part;
  /** Hash of a closed part's row, which must never change. Undefined for an open part. */
  fingerprint?: string;
}

export interface StoredCompaction {
  kind: 'compaction';
  round: number;
  createdAt: number;
}

export type StoredRevert = Pick<RevertMark, 'kind' | 'id' | 'at' | 'to' | 'branchedAt' | 'undoes'>;

export type StoredMark = StoredCompaction | StoredRevert;

export interface StoredRun {
  runId: string;
  epoch: number;
  startedAt: number;
  status: string | null;
  hasEnded: boolean;
}

export interface StoredEvent {
  number: number;
  payload: EventPayload;
}

/**
 * Reads a session and checks the whole database.
 *
 * @throws {Error} SQLite's error if the file is not a database.
 */
export function readDatabase(path: string, sessionId: string): StoredSession {
  const session = readSession(path, sessionId);
  using database = open(path);
  const all = (sql: string) => database.prepare(sql).all();
  const problems = [
    ...all('PRAGMA integrity_check').flatMap((row) =>
      row['integrity_check'] === 'ok' ? [] : [`integrity: ${row['integrity_check']}`],
    ),
    ...all('PRAGMA foreign_key_check').map((row) => `foreign key: ${JSON.stringify(row)}`),
  ];
  return { ...session, problems };
}

/** Reads a session at one moment, without checking the database. */
export function readSession(path: string, sessionId: string): StoredSession {
  using database = open(path);
  const all = (sql: string, ...values: string[]) => database.prepare(sql).all(...values);
  const list = (sql: string) => all(sql, sessionId);
  const count = (kind: string) =>
    Number(
      all('SELECT count(*) AS n FROM marks WHERE session_id = ? AND kind = ?', sessionId, kind)[0]?.['n'],
    );
  database.exec('BEGIN');
  return {
    messages: readMessages(list),
    runs: list(
      'SELECT run_id, epoch, started_at, status, ended_at FROM runs WHERE session_id = ? ORDER BY epoch',
    ).map((row) => ({
      runId: String(row['run_id']),
      epoch: Number(row['epoch']),
      startedAt: Number(row['started_at']),
      status: row['status'] === null ? null : String(row['status']),
      hasEnded: row['ended_at'] !== null,
    })),
    events: list('SELECT number, type, payload FROM events WHERE session_id = ? ORDER BY number').map(
      (row) => ({
        number: Number(row['number']),
        payload: { type: row['type'], ...JSON.parse(String(row['payload'])) },
      }),
    ),
    waiting: list("SELECT id FROM queue WHERE session_id = ? AND state = 'waiting'").map((row) =>
      String(row['id']),
    ),
    marks: readMarks(list),
    compactions: count('compaction'),
    prunes: count('prune'),
    problems: [],
  };
}

type Rows = (sql: string) => Record<string, unknown>[];

function readMarks(list: Rows): StoredMark[] {
  const rows = list(
    `SELECT m.body, c.round, c.created_at FROM marks m LEFT JOIN compactions c ON c.id = m.id
    WHERE m.session_id = ? AND (m.kind = 'revert' OR c.id IS NOT NULL) ORDER BY m.key`,
  );
  return rows.map((row): StoredMark => {
    if (row['round'] === null) return JSON.parse(String(row['body']));
    return { kind: 'compaction', round: Number(row['round']), createdAt: Number(row['created_at']) };
  });
}

function readMessages(list: Rows): StoredMessage[] {
  const chunks = new Map<string, string>();
  const ofChunks = `SELECT p.message_id || '#' || p.part_index AS place, c.text FROM messages m
    JOIN parts p ON p.message_id = m.id JOIN part_chunks c ON c.part_key = p.key
    WHERE m.session_id = ? ORDER BY c.key`;
  for (const row of list(ofChunks)) {
    const place = String(row['place']);
    chunks.set(place, (chunks.get(place) ?? '') + String(row['text']));
  }
  const ofParts = `SELECT m.id, p.part_index, p.state, p.body FROM messages m JOIN parts p ON p.message_id = m.id
    WHERE m.session_id = ? ORDER BY m.sequence, p.part_index`;
  const parts = Map.groupBy(list(ofParts), (row) => String(row['id']));
  return list('SELECT id, sequence, role, status FROM messages WHERE session_id = ? ORDER BY sequence').map(
    (row) => {
      const id = String(row['id']);
      return {
        id,
        sequence: Number(row['sequence']),
        role: row['role'] === 'user' ? 'user' : 'assistant',
        status: statusOf(row['status']),
        parts: (parts.get(id) ?? []).map((part) => toPart(part, chunks.get(`${id}#${part['part_index']}`))),
      };
    },
  );
}

function toPart(row: Record<string, unknown>, since = ''): StoredPart {
  // The store compresses long texts.
  const stored = row['body'];
  const body = stored instanceof Uint8Array ? inflateSync(stored).toString() : String(stored);
  const part: Part = JSON.parse(body);
  if (part.type === 'text' || part.type === 'reasoning') part.text += since;
  const isOpen = row['state'] === 'running' || row['state'] === 'pending';
  const fingerprint = createHash('sha256').update(body).update(since).digest('hex');
  return { index: Number(row['part_index']), part, ...(isOpen ? {} : { fingerprint }) };
}

function statusOf(value: unknown): Message['status'] {
  return value === 'running' || value === 'failed' || value === 'interrupted' ? value : 'done';
}

function open(path: string) {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}
