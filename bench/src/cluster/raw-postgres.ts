import pg from 'pg';
import { CALLS_OF_STEP, type Load, ROWS_OF_STEP, stepTexts } from '../store-rate-sides.ts';

/**
 * Returns rows per second of prepared inserts into three tables like those of the store: the rows of a call of all
 * sessions in one transaction, as the store writes them.
 */
export async function timeRawPostgres(
  url: string,
  { sessions, steps, schema }: Load & { schema: string },
): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema};
      CREATE TABLE messages (id text PRIMARY KEY, session_id text NOT NULL, sequence int NOT NULL, role text NOT NULL, status text NOT NULL, created_at bigint NOT NULL, UNIQUE (session_id, sequence));
      CREATE TABLE parts (message_id text NOT NULL REFERENCES messages, part_index int NOT NULL, state text, body text NOT NULL, PRIMARY KEY (message_id, part_index));
      CREATE TABLE events (session_id text NOT NULL, number int NOT NULL, at bigint NOT NULL, type text NOT NULL, payload text NOT NULL, PRIMARY KEY (session_id, number));
      CREATE TABLE heads (session_id text PRIMARY KEY, last int NOT NULL);`);
    const startedAt = performance.now();
    for (let step = 0; step < steps; step += 1)
      for (let call = 0; call < CALLS_OF_STEP; call += 1) await writeCall(client, { sessions, step, call });
    return (sessions * steps * ROWS_OF_STEP) / ((performance.now() - startedAt) / 1_000);
  } finally {
    await client.end();
  }
}

async function writeCall(
  client: pg.Client,
  { sessions, step, call }: { sessions: number; step: number; call: number },
): Promise<void> {
  const { said, pending, completed, thinking, called, returned } = stepTexts();
  const names = Array.from({ length: sessions }, (_, index) => `session-${index}`);
  const ids = names.map((name) => `${name}-${step}`);
  const each = (text: string) => names.map(() => text);
  const insert = (name: string, text: string, values: unknown[]) => client.query({ name, text, values });
  const event = (number: number, type: string, payload: string) =>
    insert(
      'event',
      `WITH head AS (INSERT INTO heads (session_id, last) SELECT unnest($1::text[]), $2 ON CONFLICT (session_id) DO UPDATE SET last = excluded.last)
       INSERT INTO events (session_id, number, at, type, payload) SELECT unnest($1::text[]), $2, 1, $3, unnest($4::text[])`,
      [names, step * 3 + number, type, each(payload)],
    );
  const part = (index: number, state: string, body: string) =>
    insert(
      'part',
      `INSERT INTO parts (message_id, part_index, state, body) SELECT unnest($1::text[]), $2, $3, unnest($4::text[])
       ON CONFLICT (message_id, part_index) DO UPDATE SET state = excluded.state, body = excluded.body`,
      [ids, index, state, each(body)],
    );
  await client.query('BEGIN');
  if (call === 0) {
    await insert(
      'message',
      `INSERT INTO messages (id, session_id, sequence, role, status, created_at)
       SELECT id, session_id, $3, 'assistant', 'running', 1 FROM unnest($1::text[], $2::text[]) AS rows (id, session_id)`,
      [ids, names, step + 1],
    );
    await event(1, 'llm:thinking', thinking);
  } else if (call === 1) await part(0, 'done', said);
  else if (call === 2) {
    await part(1, 'pending', pending);
    await event(2, 'llm:tool-call', called);
  } else {
    await part(1, 'completed', completed);
    await event(3, 'llm:tool-result', returned);
  }
  await client.query('COMMIT');
}
