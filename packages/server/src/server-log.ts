import { type DestinationStream, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Creates a log with one JSON object per line: one for each run at `info`, one for each change, and also one for each request at `debug`. It
 * never contains the body or headers of a request.
 */
export function createServerLog(
  destination: DestinationStream,
  { level, mask }: { level: LogLevel; mask: (text: string) => string },
): Logger {
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => destination.write(mask(line)) },
  );
}
