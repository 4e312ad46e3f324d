/**
 * The wall time of the records. The processes of a tortured session see a clock that is set back and forward, so the
 * records use the uptime, which no process can set. The parent passes the wall time of the uptime's zero to its
 * children.
 */
const VARIABLE = 'LONGHAUL_TORTURE_CLOCK';

/** Nanoseconds since the machine started. Tests replace `process.hrtime.bigint`, but not this. */
export const trueUptime: () => bigint = process.hrtime.bigint;

const origin = Number(process.env[VARIABLE] ?? Date.now() - uptimeMs());

/** Environment of a child whose records use the same time. */
export const TRUE_TIME_ENVIRONMENT: Readonly<Record<string, string>> = { [VARIABLE]: String(origin) };

/** Milliseconds since 1970, as the parent's clock showed them at its start plus the time since. */
export function trueTime(): number {
  return Math.floor(origin + uptimeMs());
}

/** Milliseconds since the machine started, with fractions. */
export function uptimeMs(): number {
  return Number(trueUptime()) / 1e6;
}
