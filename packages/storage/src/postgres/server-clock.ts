import { type SQL, sql } from 'drizzle-orm';
import type { Clock } from '../shared/clock.ts';
import { machineUptime } from '../shared/machine-uptime.ts';
import { type Connection, rowsOf } from './connection.ts';
import { SERVER_CLOCK } from './heads.ts';

/**
 * The clock of the server, which all programs that use its store share. The clocks of their machines decide nothing: one
 * of them may be an hour off.
 */
export interface ServerClock {
  /** The server's time for what decides nothing, such as the time of an event: the last reading, continued. */
  now(): number;
  /** The server's time in a statement. */
  readonly inStatement: SQL<number>;
  /** A clock that shows a reading of the server's clock. */
  at(reading: number): Clock;
}

export interface ServerClockOptions {
  /** Replaces the server's clock. For tests. */
  now?: (() => number) | undefined;
  uptime?: (() => number) | undefined;
}

/** Reads the server's clock once. Each later reading corrects it. */
export async function readServerClock(
  { db }: Pick<Connection, 'db'>,
  { now, uptime = machineUptime }: ServerClockOptions,
): Promise<ServerClock> {
  if (now !== undefined)
    return {
      now,
      get inStatement() {
        return sql<number>`${now()}::bigint`;
      },
      at: () => ({ now, uptime }),
    };
  const [row] = await rowsOf<{ now: string }>(db, sql`SELECT ${SERVER_CLOCK} AS now`);
  let last = { reading: row === undefined ? Date.now() : Number(row.now), uptime: machineUptime() };
  return {
    // Setting the clock of this machine has no effect.
    now: () => last.reading + machineUptime() - last.uptime,
    inStatement: SERVER_CLOCK,
    at(reading) {
      last = { reading, uptime: machineUptime() };
      return { now: () => reading, uptime };
    },
  };
}
