import type { BacktestReport, FileReport, MethodTotals } from '@longhaul/replay';
import { totalsOf } from '@longhaul/replay';
import { fitLine, formatTokens, plural } from '../render/format.ts';
import { createPaint, type Paint } from '../render/paint.ts';

/** More sessions than these are only totalled. */
const MAX_SESSIONS_SHOWN = 40;
const NAME_COLUMNS = 22;

interface Column {
  heading: string;
  value: (totals: MethodTotals) => number | null;
  format: (value: number) => string;
  /** Which direction is better; absent if neither is. */
  better?: 'more' | 'less';
}

const percent = (share: number) => `${(share * 100).toFixed(1)}%`;

const COLUMNS: readonly Column[] = [
  { heading: 'far', value: (row) => row.farRecall, format: percent, better: 'more' },
  { heading: 'grounded', value: (row) => row.groundedRecall, format: percent, better: 'more' },
  { heading: 'recall', value: (row) => row.recall, format: percent, better: 'more' },
  { heading: 'over', value: (row) => row.overflows, format: String, better: 'less' },
  { heading: 'sent', value: (row) => row.sentTokens, format: formatTokens },
  { heading: 'cost', value: (row) => row.costTokens, format: formatTokens, better: 'less' },
  { heading: 'of all', value: (row) => row.costShare, format: (share) => `${Math.round(share * 100)}%` },
  { heading: 'compact.', value: (row) => row.compactions, format: String },
  {
    heading: 'ms/step',
    value: (row) => row.millisecondsPerStep,
    format: (ms) => ms.toFixed(ms < 10 ? 2 : 0),
  },
];

/** Sends requests that do not fit. It is only for comparison, and is never the best. */
const IMPOSSIBLE = 'everything';

/** Returns a table for each window: each session, then the totals. The best value of each column has a star. */
export function replayTable(report: BacktestReport, { colors }: { colors: boolean }): string {
  const paint = createPaint(colors);
  return `${report.windows.map((window) => windowTable(report, window, paint)).join('\n\n')}\n${legend(paint)}`;
}

function windowTable({ files, methods }: BacktestReport, window: number, paint: Paint): string {
  const measured = files.filter((file) =>
    file.runs.some((run) => run.windowTokens === window && !run.isSkipped),
  );
  const fitting = files.filter((file) => file.session !== undefined).length - measured.length;
  const title = paint.bold(`Window ${formatTokens(window)}`);
  const fits = fitting === 0 ? '' : `, ${plural(fitting, 'session')} left out that fit into it whole`;
  if (measured.length === 0) return `${title}: nothing to measure${fits}.`;
  const heading = paint.dim(
    `${' '.repeat(NAME_COLUMNS)}${COLUMNS.map(({ heading }) => `${heading} `.padStart(10)).join('')}`,
  );
  const shown = measured.length > MAX_SESSIONS_SHOWN ? [] : measured;
  const blocks = shown.map((file) => group(nameOf(file), totals([file], methods, window), paint));
  const all = totals(measured, methods, window);
  const facts = `${plural(measured.length, 'session')}, ${plural(all[0]?.steps ?? 0, 'step')}, ${plural(all[0]?.farFacts ?? 0, 'far fact')}`;
  const together = blocks.length === 1 ? [] : [group('all sessions', all, paint)];
  return [`${title}: ${facts}${fits}`, heading, ...blocks, ...together].join('\n');
}

function totals(files: readonly FileReport[], methods: readonly string[], window: number): MethodTotals[] {
  return methods.map((method) => totalsOf(files, method, window));
}

function nameOf({ path }: FileReport): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function group(title: string, rows: readonly MethodTotals[], paint: Paint): string {
  const lines = rows.map((row) => {
    const cells = COLUMNS.map((column) => cell(column, row, rows, paint));
    return `  ${fitLine(row.method, NAME_COLUMNS - 3).padEnd(NAME_COLUMNS - 2)}${cells.join('')}${exhausted(row, paint)}`;
  });
  return [paint.note(fitLine(title, 100)), ...lines].join('\n');
}

function cell(column: Column, row: MethodTotals, rows: readonly MethodTotals[], paint: Paint): string {
  const value = column.value(row);
  if (value === null) return '– '.padStart(10);
  const isBest = isBestOf(column, row, rows);
  const text = `${column.format(value)}${isBest ? '*' : ' '}`.padStart(10);
  return isBest ? paint.good(text) : text;
}

function isBestOf({ better, value }: Column, row: MethodTotals, rows: readonly MethodTotals[]): boolean {
  const possible = rows.filter(({ method }) => method !== IMPOSSIBLE);
  if (better === undefined || possible.length < 2 || row.method === IMPOSSIBLE) return false;
  const values = possible.flatMap((other) => value(other) ?? []);
  return value(row) === (better === 'more' ? Math.max(...values) : Math.min(...values));
}

function exhausted({ exhausted }: MethodTotals, paint: Paint): string {
  return exhausted === 0 ? '' : paint.bad(`  gave up at ${plural(exhausted, 'step')}`);
}

function legend(paint: Paint): string {
  return paint.dim(
    [
      'far: share of the names last seen over 20k tokens before that were visible when a step used them again;',
      'grounded: those next to the file that they came from; recall: share of all names that a step used again;',
      'over: requests above three quarters of the window; of all: cost compared with sending everything.',
      'docs/replay.md explains the measures.\n',
    ].join('\n'),
  );
}
