import { type SQL, sql } from 'drizzle-orm';
import type { Head } from '../heads.ts';
import { toStoredText } from '../stored-text.ts';
import type { AppendRows } from './append-rows.ts';

/** What one statement writes to a session: its head before and after, and the rows. */
export interface HeadStep {
  before: Head;
  after: Head;
  rows: AppendRows;
}

/**
 * Stores appends of any number of sessions: one statement, one transaction, one round trip. Returns the sessions whose
 * rows are stored.
 *
 * A session's rows are written only if its head is as `before`: the same epoch, run, counters and number of appends. So
 * a stale lease writes nothing, and a repeated statement writes nothing twice.
 */
const TEXT = `
WITH step AS MATERIALIZED (
  SELECT * FROM json_to_recordset($1::text::json) AS step(session_id text, run_id text, epoch bigint, appends bigint,
    last_sequence int, last_event int, next_sequence int, next_event int, updated_at bigint)
), held AS (
  UPDATE heads SET last_sequence = step.next_sequence, last_event = step.next_event, appends = heads.appends + 1,
    updated_at = greatest(heads.updated_at, step.updated_at)
  FROM step
  WHERE heads.session_id = step.session_id AND heads.run_id = step.run_id AND heads.epoch = step.epoch
    AND heads.appends = step.appends AND heads.last_sequence = step.last_sequence AND heads.last_event = step.last_event
  RETURNING heads.session_id
), new_messages AS (
  INSERT INTO messages (id, session_id, sequence, role, status, token_count, created_at, finish_reason, usage, cost, model, metadata, checksum)
  SELECT r.id, r.session_id, r.sequence, r.role, r.status, r.token_count, r.created_at, r.finish_reason, r.usage, r.cost, r.model, r.metadata, r.checksum
  FROM json_to_recordset($2::text::json) AS r(id text, session_id text, sequence int, role text, status text, token_count int,
    created_at bigint, finish_reason text, usage text, cost float8, model text, metadata text, checksum int) JOIN held USING (session_id)
), changed_messages AS (
  UPDATE messages SET status = r.status, token_count = r.token_count, finish_reason = r.finish_reason, usage = r.usage, cost = r.cost,
    model = r.model, checksum = r.checksum
  FROM json_to_recordset($3::text::json) AS r(id text, session_id text, status text, token_count int, finish_reason text, usage text,
    cost float8, model text, checksum int) JOIN held USING (session_id)
  WHERE messages.id = r.id AND messages.session_id = r.session_id
), new_parts AS (
  INSERT INTO parts AS known (session_id, sequence, part_index, message_id, type, state, body, checksum, search)
  SELECT r.session_id, r.sequence, r.part_index, r.message_id, r.type, r.state, r.body, r.checksum, r.search::tsvector
  FROM json_to_recordset($4::text::json) AS r(session_id text, sequence int, part_index int, message_id text, type text, state text,
    body text, checksum int, search text) JOIN held USING (session_id)
  ON CONFLICT (session_id, sequence, part_index) DO UPDATE SET type = excluded.type, state = excluded.state,
    body = excluded.body, checksum = excluded.checksum, search = excluded.search
), dropped_chunks AS (
  DELETE FROM part_chunks USING json_to_recordset($5::text::json) AS r(session_id text, sequence int, part_index int), held
  WHERE held.session_id = r.session_id AND part_chunks.session_id = r.session_id AND part_chunks.sequence = r.sequence
    AND part_chunks.part_index = r.part_index
), new_chunks AS (
  INSERT INTO part_chunks (session_id, sequence, part_index, number, text, checksum)
  SELECT r.session_id, r.sequence, r.part_index, r.number, r.text, r.checksum
  FROM json_to_recordset($6::text::json) AS r(session_id text, sequence int, part_index int, number int, text text, checksum int)
    JOIN held USING (session_id)
), new_events AS (
  INSERT INTO events (session_id, number, at, type, payload, source_sequence, source_part, checksum)
  SELECT r.session_id, r.number, r.at, r.type, r.payload, r.source_sequence, r.source_part, r.checksum
  FROM json_to_recordset($7::text::json) AS r(session_id text, number int, at bigint, type text, payload text,
    source_sequence int, source_part int, checksum int) JOIN held USING (session_id)
)
SELECT session_id FROM held`;

/** Prepared once on each connection. */
export function appendQuery(steps: readonly HeadStep[]): { name: string; text: string; values: string[] } {
  return { name: 'append', text: TEXT, values: parametersOf(steps) };
}

/** The same statement for a transaction. */
export function appendStatement(steps: readonly HeadStep[]): SQL {
  const values = parametersOf(steps);
  return sql.join(
    TEXT.split(/\$(\d)/).map((piece, index) =>
      index % 2 === 0 ? sql.raw(piece) : sql`${values[Number(piece) - 1]}`,
    ),
  );
}

/** Returns a JSON text for each table. */
function parametersOf(steps: readonly HeadStep[]): string[] {
  const all = <Row>(of: (rows: AppendRows) => readonly Row[]) => steps.flatMap(({ rows }) => of(rows));
  const places = (row: { sessionId: string; sequence: number; index: number }) => ({
    session_id: row.sessionId,
    sequence: row.sequence,
    part_index: row.index,
  });
  const messages = (found: AppendRows['newMessages']) =>
    found.map((row) => ({
      id: row.id,
      session_id: row.sessionId,
      sequence: row.sequence,
      role: row.role,
      status: row.status,
      token_count: row.tokenCount,
      created_at: row.createdAt,
      finish_reason: row.finishReason,
      usage: row.usage,
      cost: row.cost,
      model: row.model === null ? null : toStoredText(row.model),
      metadata: row.metadata,
      checksum: row.checksum,
    }));
  const tables: object[][] = [
    steps.map(({ before, after }) => ({
      session_id: before.sessionId,
      run_id: before.runId,
      epoch: before.epoch,
      appends: before.appends,
      last_sequence: before.lastSequence,
      last_event: before.lastEvent,
      next_sequence: after.lastSequence,
      next_event: after.lastEvent,
      updated_at: after.updatedAt,
    })),
    messages(all((rows) => rows.newMessages)),
    messages(all((rows) => rows.changedMessages)),
    all((rows) => rows.parts).map(({ messageId, type, state, body, checksum, search, ...place }) => ({
      ...places(place),
      message_id: messageId,
      type,
      state,
      body,
      checksum,
      search,
    })),
    all((rows) => rows.dropped).map(places),
    all((rows) => rows.chunks).map(({ number, text, checksum, ...place }) => ({
      ...places(place),
      number,
      text,
      checksum,
    })),
    all((rows) => rows.events).map((row) => ({
      session_id: row.sessionId,
      number: row.number,
      at: row.at,
      type: row.type,
      payload: row.payload,
      source_sequence: row.sourceSequence,
      source_part: row.sourcePart,
      checksum: row.checksum,
    })),
  ];
  return tables.map((table) => JSON.stringify(table));
}
