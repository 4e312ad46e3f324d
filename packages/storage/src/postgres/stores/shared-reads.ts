import type { Connection } from '../connection.ts';
import { SharedQuery } from '../shared-query.ts';

/** Reads that many sessions of a server make at the same time, when another one has changed something. */
export interface SharedReads {
  /** Returns the number of a session's newest event. Undefined: there is no such session. */
  lastEvent(sessionId: string): Promise<number | undefined>;
  hasCancelRequest(runId: string): Promise<boolean>;
}

export function createSharedReads({ pool }: Pick<Connection, 'pool'>): SharedReads {
  const lastEvents = new SharedQuery<number>(async (sessionIds) => {
    const { rows } = await pool.query<{ session_id: string; last_event: number }>({
      name: 'last-events',
      text: 'SELECT session_id, last_event FROM heads WHERE session_id = ANY($1)',
      values: [sessionIds],
    });
    return new Map(rows.map((row) => [row.session_id, row.last_event]));
  });
  const cancels = new SharedQuery<true>(async (runIds) => {
    const { rows } = await pool.query<{ run_id: string }>({
      name: 'cancels',
      text: 'SELECT run_id FROM cancels WHERE run_id = ANY($1)',
      values: [runIds],
    });
    return new Map(rows.map((row) => [row.run_id, true]));
  });
  return {
    lastEvent: (sessionId) => lastEvents.ask(sessionId),
    hasCancelRequest: async (runId) => (await cancels.ask(runId)) === true,
  };
}
