import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@longhaul/core';
import type { EventPayload, Part } from '@longhaul/protocol';
import { rowChecksum } from '@longhaul/storage/maintenance';
import { openSqliteStore } from '@longhaul/storage/sqlite';

export interface Load {
  /** Number of concurrent sessions, which is also the number of concurrent calls. */
  sessions: number;
  /** Number of steps per session. */
  steps: number;
}

/**
 * The rows of a step as the executor stores it, in four calls: the message, its text, the tool call, the result. These
 * are 1 message, 2 parts and 3 events; the last call rewrites its part.
 */
export const ROWS_OF_STEP = 7;
export const CALLS_OF_STEP = 4;

/** A tool output of about 2 000 characters. */
const OUTPUT = Array.from(
  { length: 40 },
  (_, i) => `src/file-${i}.ts:${i}: const value${i} = load(${i});`,
).join('\n');
const INPUT = { command: 'grep -rn value src' };
const CALL = { callId: 'call-1', name: 'bash', input: INPUT };
const SAID: Part = { type: 'text', text: 'I look at the files first, then run the tests.', state: 'done' };
const PENDING: Part = { type: 'tool', ...CALL, state: 'pending' };
const COMPLETED: Part = { ...PENDING, state: 'completed', output: [{ type: 'text', text: OUTPUT }] };
const THINKING: EventPayload = { type: 'llm:thinking' };
const CALLED: EventPayload = { type: 'llm:tool-call', toolName: 'bash', args: INPUT, callId: 'call-1' };
const RETURNED: EventPayload = {
  type: 'llm:tool-result',
  toolName: 'bash',
  callId: 'call-1',
  success: true,
  sanitized: [{ type: 'text', text: OUTPUT }],
};

/** Returns rows per second through the store. */
export async function timeStore(path: string, load: Load): Promise<number> {
  return await timeSteps(() => openSqliteStore({ path }), load);
}

/** The texts of a step, as they are stored. */
export function stepTexts() {
  const json = (value: object) => JSON.stringify(value);
  return {
    said: json(SAID),
    pending: json(PENDING),
    completed: json(COMPLETED),
    thinking: json(THINKING),
    called: json(CALLED),
    returned: json(RETURNED),
  };
}

/** Returns rows per second through a store. */
export async function timeSteps(
  open: () => Promise<Store & AsyncDisposable>,
  { sessions, steps }: Load,
): Promise<number> {
  await using store = await open();
  const leases = await Promise.all(names(sessions).map((name) => begin(store, name)));
  return await rate(sessions * steps * ROWS_OF_STEP, () =>
    Promise.all(
      leases.map(async (lease) => {
        for (let step = 0; step < steps; step++) {
          const id = messageId(lease.sessionId, step);
          const draft = {
            id,
            role: 'assistant',
            parts: [],
            status: 'running',
            createdAt: 1,
            tokenCount: 0,
          } as const;
          await store.appendMessage(lease, { ...draft, parts: [] }, [THINKING]);
          await store.putPart(lease, { messageId: id, index: 0 }, SAID);
          await store.putPart(lease, { messageId: id, index: 1 }, PENDING, [CALLED]);
          await store.putPart(lease, { messageId: id, index: 1 }, COMPLETED, [RETURNED]);
        }
      }),
    ),
  );
}

/** Returns rows per second of the same writes directly on `node:sqlite`. */
export async function timeRaw(path: string, load: Load): Promise<number> {
  {
    await using store = await openSqliteStore({ path });
    await Promise.all(names(load.sessions).map((name) => begin(store, name)));
  }
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
  const step = rawStep(database);
  const result = await rate(load.sessions * load.steps * ROWS_OF_STEP, async () => {
    for (let number = 0; number < load.steps; number++) {
      for (let call = 0; call < CALLS_OF_STEP; call++) {
        database.exec('BEGIN IMMEDIATE');
        for (let session = 0; session < load.sessions; session++) step(session, number, call);
        database.exec('COMMIT');
      }
    }
  });
  database.close();
  return result;
}

/**
 * Returns checksums per second: those of the rows of a step. The store leaves out of an event what its part contains,
 * which is kept here, so the rate is a lower bound.
 */
export async function timeChecksums({ sessions, steps }: Load): Promise<number> {
  const { message, parts, events } = rowsOfStep();
  return await rate(sessions * steps * ROWS_OF_STEP, async () => {
    for (let step = 0; step < sessions * steps; step++) {
      rowChecksum('messages', message);
      for (const row of parts) rowChecksum('parts', row);
      for (const row of events) rowChecksum('events', row);
    }
  });
}

function rowsOfStep() {
  const sessionId = 'session-0';
  const id = messageId(sessionId, 0);
  const unset = { finishReason: null, usage: null, cost: null, model: null, metadata: null };
  const state = { role: 'assistant', status: 'running', tokenCount: 0, createdAt: 1 };
  const place = { sessionId, at: 1, sourceSequence: null, sourcePart: null };
  return {
    message: { id, sessionId, sequence: 1, ...state, ...unset },
    parts: [SAID, PENDING, COMPLETED].map((part, index) => {
      const { type } = part;
      return {
        messageId: id,
        index,
        type,
        state: 'state' in part ? part.state : null,
        body: JSON.stringify(part),
      };
    }),
    events: [THINKING, CALLED, RETURNED].map((event, number) => {
      return { ...place, number, type: event.type, payload: JSON.stringify(event) };
    }),
  };
}

function rawStep(database: DatabaseSync): (session: number, step: number, call: number) => void {
  const message = database.prepare(
    'INSERT INTO messages (id, session_id, sequence, role, status, token_count, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const part = database.prepare(
    'INSERT INTO parts (message_id, part_index, type, state, body) VALUES (?, ?, ?, ?, ?)',
  );
  const laterPart = database.prepare('UPDATE parts SET type = ?, state = ?, body = ? WHERE key = ?');
  const searchable = database.prepare('INSERT INTO part_search (rowid, text, words) VALUES (?, ?, ?)');
  const event = database.prepare(
    'INSERT INTO events (session_id, number, at, type, payload) VALUES (?, ?, ?, ?, ?)',
  );
  const head = database.prepare(
    'UPDATE heads SET updated_at = ?, last_sequence = ?, last_event = ? WHERE session_id = ?',
  );
  const json = Object.fromEntries(
    Object.entries({ SAID, PENDING, COMPLETED, THINKING, CALLED, RETURNED }).map(([name, value]) => [
      name,
      JSON.stringify(value),
    ]),
  );
  const found = `bash\ncommand: ${INPUT.command}\n${OUTPUT}`;
  const keys: (number | bigint)[] = [];
  const appendEvent = (session: string, step: number, count: number, type: string, payload: string) => {
    event.run(session, step * 3 + count, Date.now(), type, payload);
    head.run(Date.now(), step + 1, step * 3 + count, session);
  };
  return (index, step, call) => {
    const session = `session-${index}`;
    const id = messageId(session, step);
    if (call === 0) {
      message.run(id, session, step + 1, 'assistant', 'running', 0, 1);
      appendEvent(session, step, 1, 'llm:thinking', json['THINKING'] ?? '');
    } else if (call === 1) {
      const { lastInsertRowid } = part.run(id, 0, 'text', 'done', json['SAID'] ?? '');
      searchable.run(lastInsertRowid, 'I look at the files first, then run the tests.', '');
    } else if (call === 2) {
      keys[index] = part.run(id, 1, 'tool', 'pending', json['PENDING'] ?? '').lastInsertRowid;
      appendEvent(session, step, 2, 'llm:tool-call', json['CALLED'] ?? '');
    } else {
      laterPart.run('tool', 'completed', json['COMPLETED'] ?? '', keys[index] ?? 0);
      searchable.run(keys[index] ?? 0, found, '');
      appendEvent(session, step, 3, 'llm:tool-result', json['RETURNED'] ?? '');
    }
  };
}

async function begin(store: Pick<Store, 'createSession' | 'acquireLease'>, id: string) {
  await store.createSession({ id, createdAt: 1, task: '', title: '', model: 'm', workspace: '/' });
  const owner = { host: 'h', bootId: 'b', pid: 1, processStartedAt: '0' };
  const options = { runId: `run-${id}`, owner, ttlMs: 60_000, isAlive: () => true };
  return (await store.acquireLease(id, options)).lease;
}

function names(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `session-${i}`);
}

/** Returns an id as long as a UUID and ascending like a UUIDv7. */
function messageId(session: string, step: number): string {
  return `${String(step).padStart(8, '0')}-0000-7000-${session.padStart(18, '-')}`;
}

async function rate(rows: number, work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return rows / ((performance.now() - start) / 1000);
}
