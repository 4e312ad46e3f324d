/**
 * Moves the uptime of this process, with which stores measure leases, ahead by the milliseconds that the environment
 * names: as if this much time had passed. Timers and the times of the records stay true. Processes import this first.
 */
import { trueUptime } from '../records/true-time.ts';
import { AHEAD_VARIABLE } from './settings.ts';

const ahead = BigInt(process.env[AHEAD_VARIABLE] ?? 0) * 1_000_000n;
process.hrtime.bigint = () => trueUptime() + ahead;
