import { type DestinationStream, type Logger, pino } from 'pino';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** One JSON object a line: at `info` one for each run, at `debug` one for each request too. Nothing of a request's body or headers. */
export function createServerLog(
  destination: DestinationStream,
  { level, mask }: { level: LogLevel; mask: (text: string) => string },
): Logger {
  return pino(
    { level, base: { pid: process.pid }, timestamp: pino.stdTimeFunctions.isoTime },
    { write: (line) => destination.write(mask(line)) },
  );
}
