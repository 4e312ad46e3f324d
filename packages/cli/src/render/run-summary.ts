import type { EventOf } from '@longhaul/protocol';
import { formatCost, formatDuration, formatTokens, plural, printable, shortId } from './format.ts';
import type { Paint } from './paint.ts';

export interface SummaryFacts {
  finished: EventOf<'run:finished'>;
  durationMs: number | undefined;
  /** Whether to say how the session is seen again. */
  showsHowToSeeIt: boolean;
}

const WORDS = {
  completed: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
  limit: 'Stopped at a limit',
  interrupted: 'Interrupted',
} as const;

/** The last lines of a run. */
export function runSummary({ finished, durationMs, showsHowToSeeIt }: SummaryFacts, paint: Paint): string {
  const { status, stepCount, compactions, usage, cost, error, sessionId } = finished;
  const color = status === 'completed' ? paint.good : status === 'failed' ? paint.bad : paint.warn;
  const time = durationMs === undefined ? '' : ` in ${formatDuration(durationMs)}`;
  const lines = [`${color(paint.bold(WORDS[status]))}${time}`];
  if (error !== undefined && status !== 'cancelled') lines.push(printable(error.message));
  const cached = usage.cacheReadTokens > 0 ? ` (${formatTokens(usage.cacheReadTokens)} from cache)` : '';
  lines.push(
    field('work', `${plural(stepCount, 'step')}, ${plural(compactions, 'compaction')}`, paint),
    field(
      'tokens',
      `${formatTokens(usage.inputTokens)} in${cached}, ${formatTokens(usage.outputTokens)} out`,
      paint,
    ),
    field('cost', cost === undefined ? 'unknown: no price for this model' : formatCost(cost), paint),
  );
  const again = showsHowToSeeIt ? paint.dim(`  longhaul show ${shortId(sessionId)}`) : '';
  lines.push(field('session', `${sessionId}${again}`, paint));
  return `${lines.join('\n')}\n`;
}

export function field(name: string, value: string, paint: Paint): string {
  return `${paint.dim(name.padEnd(9))}${value}`;
}
