import type { EventOf } from '@longhaul/protocol';
import { fitLine, formatCost, formatDuration, formatTokens, plural } from '../../render/format.ts';
import type { Paint } from '../../render/paint.ts';
import { wrapText } from '../../render/word-wrapper.ts';
import { problemText } from '../problem-text.ts';

const STOPPED = { cancelled: 'Stopped', limit: 'Stopped at a limit', interrupted: 'Interrupted' } as const;

/** Returns the lines at the end of a run: how it ended, and what it took. */
export function runEndText(
  { status, error, stepCount, usage, cost, compactions }: EventOf<'run:finished'>,
  { durationMs, columns, paint }: { durationMs: number; columns: number; paint: Paint },
): string {
  const facts = [
    formatDuration(durationMs),
    ...(stepCount === 0 ? [] : [plural(stepCount, 'step')]),
    ...(compactions === 0 ? [] : [plural(compactions, 'compaction')]),
    ...(usage.inputTokens + usage.outputTokens === 0
      ? []
      : [`${formatTokens(usage.inputTokens)} in, ${formatTokens(usage.outputTokens)} out`]),
    ...(cost === undefined ? [] : [formatCost(cost)]),
  ].join(' · ');
  if (status === 'completed') return `\n${paint.good('✓')} ${paint.dim(fitLine(facts, columns - 2))}\n`;
  const [sign, word] = status === 'failed' ? [paint.bad('✗'), 'Failed'] : [paint.warn('■'), STOPPED[status]];
  const reason = error === undefined || status === 'cancelled' ? '' : wrapText(problemText(error), columns);
  const line = fitLine(`${word} ${facts}`, columns - 2);
  return `\n${sign} ${line.slice(0, word.length)}${paint.dim(line.slice(word.length))}\n${reason}`;
}
