import type { LogFile, LonghaulServer } from '@longhaul/server';
import { FLUSH_MS } from '../compose/open-telemetry.ts';
import type { Terminal } from '../terminal.ts';
import type { ServeLog } from './logged-warnings.ts';

/** With the end of the process, a stop takes at most the grace time and 2 seconds: service managers kill what takes longer. */
const AFTER_GRACE_MS = 1_200;
/** What is left of the time for the collector of telemetry, even if the rest took too long. */
const SHORTEST_FLUSH_MS = 200;

/** How long the end may wait for the collector of telemetry. */
export function flushMsOf({
  stopGraceMs,
  sinceMs = 0,
}: {
  stopGraceMs: number;
  sinceMs: number | undefined;
}): number {
  return Math.max(SHORTEST_FLUSH_MS, Math.min(FLUSH_MS, stopGraceMs + AFTER_GRACE_MS - sinceMs));
}

/** Signals of two kinds within this time count as one. */
const SAME_MS = 500;

export interface StopSignals extends Disposable {
  /** Time since the first signal. Undefined: none came. */
  readonly sinceMs: number | undefined;
  /** Calls back for each signal, those before the call included. */
  listen(onSignal: () => void): void;
}

/** @param onHangup What SIGHUP does. Default: it stops the server, too. */
export function stopSignals(onHangup?: () => void): StopSignals {
  let early = 0;
  let tell = () => {
    early += 1;
  };
  let first: { name: string; at: number } | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    const at = performance.now();
    first ??= { name, at };
    // Ctrl-C reaches this process and, if a launcher with an older Node started it, comes from that one again.
    const isSame = name !== first.name && at - first.at < SAME_MS;
    if (!isSame) tell();
  };
  const names: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];
  if (onHangup === undefined) names.push('SIGHUP');
  else process.on('SIGHUP', onHangup);
  for (const name of names) process.on(name, onSignal);
  return {
    get sinceMs() {
      return first && performance.now() - first.at;
    },
    listen(listener) {
      tell = listener;
      for (; early > 0; early -= 1) listener();
    },
    [Symbol.dispose]() {
      for (const name of names) process.off(name, onSignal);
      if (onHangup !== undefined) process.off('SIGHUP', onHangup);
    },
  };
}

/** The first signal lets running steps finish, a second one stops at once. */
export async function untilStopped(
  server: LonghaulServer,
  {
    signals,
    terminal,
    log,
  }: { signals: StopSignals; terminal: Terminal; log: { info: (text: string) => void } },
): Promise<number> {
  const stopping = Promise.withResolvers<void>();
  let stopped: Promise<void> | undefined;
  terminal.out.on('error', () => undefined);
  signals.listen(() => {
    if (stopped === undefined) {
      log.info('stopping: running steps finish; a second signal stops at once');
      stopped = server.stop();
      stopping.resolve();
    } else void server.stop({ atOnce: true });
  });
  await stopping.promise;
  await stopped;
  log.info('stopped');
  return 0;
}

/** Opens a log file again. If that fails, the old file gets the reason, and further lines. */
export function reopen(file: LogFile, log: Pick<ServeLog, 'info' | 'warn'>): void {
  try {
    file.reopen();
    log.info('the log file was opened again');
  } catch (error) {
    log.warn({ err: error }, 'the log file could not be opened again');
  }
}
