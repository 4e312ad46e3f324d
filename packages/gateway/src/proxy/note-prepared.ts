import type { Prepared } from '../compaction/types.ts';
import type { LogEntry } from '../options.ts';
import type { GatewayStats } from '../status/gateway-stats.ts';

interface PreparedBook {
  stats: ReturnType<GatewayStats['of']>;
  log: (entry: Pick<LogEntry, 'level' | 'message' | 'code'>) => void;
}

/** Adds a prepared request to the status and the log. */
export function notePrepared(
  { compacted, estimatedTokens, warnings }: Prepared,
  { stats, log }: PreparedBook,
): void {
  for (const message of warnings) log({ level: 'warn', message });
  stats.lastTokens = estimatedTokens;
  if (compacted === undefined) return;
  stats.compactedRequests += 1;
  stats.tokensSaved += Math.max(0, compacted.before - compacted.after);
  if (compacted.isFromCache) return;
  stats.compactions += 1;
  const message = `Compacted ${compacted.before} tokens to ${compacted.after} (round ${compacted.round}).`;
  log({ level: 'info', message });
}
