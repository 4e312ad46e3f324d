import { availableParallelism, totalmem } from 'node:os';
import type { Config } from '@longhaul/config';

/** What the machine has for runs. */
export interface Room {
  /** Memory that this process and its sandboxes may use together. */
  memoryMb: number;
  cores: number;
}

/** How many runs a server has at the same time. */
export interface RunPlaces {
  /** Null: no limit. */
  max: number | null;
  /** Where the number comes from, for the operator. */
  reason: string;
  /** What the operator should know before runs fail. */
  warning: string | undefined;
}

/** Memory that the server itself needs. */
export const SERVER_MEMORY_MB = 512;
/** A run waits for its model most of the time, but its builds and tests need a processor. */
const RUNS_PER_CORE = 4;

export function runPlaces(
  { server: { maxRuns }, sandbox }: Pick<Config, 'server' | 'sandbox'>,
  room: Room,
): RunPlaces {
  const each = sandbox.memoryMb;
  const fitting = Math.max(1, Math.floor((room.memoryMb - SERVER_MEMORY_MB) / each));
  const most = `${fitting} of ${mb(each)} (sandbox.memoryMb) fit into ${mb(room.memoryMb)}`;
  if (maxRuns === 'auto') {
    const byCores = RUNS_PER_CORE * room.cores;
    const reason = fitting <= byCores ? most : `${RUNS_PER_CORE} for each of ${room.cores} processors`;
    return { max: Math.min(fitting, byCores), reason, warning: undefined };
  }
  const isTooMany = maxRuns === null || maxRuns > fitting;
  const warning = isTooMany
    ? `server.maxRuns is ${maxRuns}, but only ${most}: commands can run out of memory. Lower one of them.`
    : undefined;
  return { max: maxRuns, reason: 'server.maxRuns', warning };
}

/** What this process may use. The limit of a service or a container counts as the memory of the machine. */
export function roomHere(): Room {
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { memoryMb: Math.floor(bytes / 1024 / 1024), cores: availableParallelism() };
}

function mb(count: number): string {
  return `${count.toLocaleString('en-US')} MB`;
}
