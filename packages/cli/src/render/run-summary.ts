import type { ErrorShape, EventOf, SubtaskFacts } from '@longhaul/protocol';
import { hintFor } from '../hints.ts';
import { formatCost, formatDuration, formatTokens, plural, shortId } from './format.ts';
import type { Paint } from './paint.ts';
import { wrapText } from './word-wrapper.ts';

export interface SummaryFacts {
  finished: EventOf<'run:finished'>;
  durationMs: number | undefined;
  /** Prints the outcome alone: the caller prints the rest. */
  isShort: boolean;
  /** The child sessions that have ended in this run. The usage of the run includes theirs. */
  children?: readonly SubtaskFacts[];
  /** The command that resumes a run that has not completed. */
  resumeCommand?: string;
}

const WORDS = {
  completed: 'Done',
  cancelled: 'Cancelled',
  failed: 'Failed',
  limit: 'Stopped at a limit',
  interrupted: 'Interrupted',
} as const;

/** The last lines of a run. */
export function runSummary(
  { finished, durationMs, isShort, resumeCommand, children = [] }: SummaryFacts,
  { columns, paint }: { columns: number; paint: Paint },
): string {
  const { status, error, sessionId } = finished;
  const color = status === 'completed' ? paint.good : status === 'failed' ? paint.bad : paint.warn;
  const time = durationMs === undefined ? '' : ` in ${formatDuration(durationMs)}`;
  const reason = error === undefined || status === 'cancelled' ? '' : reasonText(error, { columns, paint });
  const heading = `${color(paint.bold(WORDS[status]))}${time}\n${reason}`;
  if (isShort) return heading;
  const show = `longhaul show ${shortId(sessionId)}`;
  const hasRoom = FIELD_COLUMNS + sessionId.length + 2 + show.length <= columns;
  const session = hasRoom ? `${sessionId}${paint.dim(`  ${show}`)}` : show;
  // Not broken into lines, so that it can be copied.
  const resume =
    status === 'completed' || resumeCommand === undefined ? [] : [field('resume', resumeCommand, paint)];
  const lines = [
    ...figures(finished, { columns, paint, children }),
    field('session', session, paint),
    ...resume,
  ];
  return `${heading}${lines.join('\n')}\n`;
}

function reasonText(error: ErrorShape, { columns, paint }: { columns: number; paint: Paint }): string {
  const hint = hintFor(error);
  return wrapText(error.message, columns) + (hint === undefined ? '' : paint.dim(wrapText(hint, columns)));
}

/** Empty for a run that called no model. */
function figures(
  { stepCount, compactions, usage, cost }: EventOf<'run:finished'>,
  { columns, paint, children }: { columns: number; paint: Paint; children: readonly SubtaskFacts[] },
): string[] {
  if (stepCount === 0 && usage.totalTokens === 0) return [];
  const cached = usage.cacheReadTokens > 0 ? ` (${formatTokens(usage.cacheReadTokens)} from cache)` : '';
  const tokens = `${formatTokens(usage.inputTokens)} in${cached}, ${formatTokens(usage.outputTokens)} out`;
  const wrapped = (name: string, text: string) => wrappedField(name, text, { columns, paint });
  return [
    wrapped('work', `${plural(stepCount, 'step')}, ${plural(compactions, 'compaction')}`),
    ...(children.length === 0 ? [] : [wrapped('children', childrenText(children))]),
    wrapped('tokens', tokens),
    wrapped('cost', cost === undefined ? 'unknown: no price for this model' : formatCost(cost)),
  ];
}

/** `2 sessions, 7 steps, 9k of the tokens` */
function childrenText(children: readonly SubtaskFacts[]): string {
  const sum = (name: 'steps' | 'tokens') => children.reduce((total, facts) => total + (facts[name] ?? 0), 0);
  const sessions = plural(children.length, 'session');
  return `${sessions}, ${plural(sum('steps'), 'step')}, ${formatTokens(sum('tokens'))} of the tokens`;
}

const FIELD_COLUMNS = 9;

export function field(name: string, value: string, paint: Paint): string {
  return `${paint.dim(name.padEnd(FIELD_COLUMNS))}${value}`;
}

/** A field whose value is broken at words, with further lines below the first. */
export function wrappedField(
  name: string,
  text: string,
  { columns, paint }: { columns: number; paint: Paint },
): string {
  const lines = wrapText(text, columns - FIELD_COLUMNS).trimEnd();
  return field(name, lines.replaceAll('\n', `\n${' '.repeat(FIELD_COLUMNS)}`), paint);
}
