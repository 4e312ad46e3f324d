import type { PostgresServer } from '@longhaul/testing/machine';

/** What was done to a server. */
export type StrikeKind = 'killed' | 'suspended' | 'stopped';

export interface Strike {
  kind: StrikeKind;
  pid: number;
  /** Milliseconds since 1970. */
  at: number;
}

/** How long sessions waited for another server after a strike, in milliseconds. */
export interface TakeOverTimes {
  count: number;
  median: number;
  most: number;
}

/** Reads from the runs of all sessions how long after each strike another server continued what was in progress. */
export async function takeOverTimes(
  database: Pick<PostgresServer, 'query'>,
  strikes: readonly Strike[],
): Promise<Record<StrikeKind, TakeOverTimes>> {
  const values = strikes.map(({ kind, pid, at }) => `('${kind}', ${pid}, ${Math.round(at)}::bigint)`);
  const rows =
    values.length === 0
      ? ''
      : await database.query(
          `SELECT kind, min(next.started_at - strike.at) FROM (VALUES ${values.join(', ')}) AS strike (kind, pid, at)
           JOIN longhaul.runs AS run ON run.pid = strike.pid AND run.started_at <= at AND (run.ended_at IS NULL OR run.ended_at > at)
           JOIN longhaul.runs AS next ON next.session_id = run.session_id AND next.started_at > at AND next.epoch > run.epoch
           WHERE run.status IS DISTINCT FROM 'completed'
           GROUP BY kind, strike.pid, at, run.run_id`,
        );
  const found = rows
    .split('\n')
    .filter(Boolean)
    .map((row) => row.split('|'));
  const timesOf = (kind: StrikeKind) =>
    found.flatMap(([of, ms]) => (of === kind ? [Number(ms)] : [])).toSorted((a, b) => a - b);
  return {
    killed: summaryOf(timesOf('killed')),
    suspended: summaryOf(timesOf('suspended')),
    stopped: summaryOf(timesOf('stopped')),
  };
}

function summaryOf(times: readonly number[]): TakeOverTimes {
  return { count: times.length, median: times[Math.floor(times.length / 2)] ?? 0, most: times.at(-1) ?? 0 };
}
