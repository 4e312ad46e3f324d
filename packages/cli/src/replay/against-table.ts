import { againstRows, type BacktestReport, recordedTotals } from '@longhaul/replay';
import { formatTokens, plural } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';

const NAME_COLUMNS = 18;
const HEADINGS = ['compactions', 'tokens', 'needed', 'its summary', 'our ledger'];

/** Returns the table that compares the recorded agents' own compactions with our ledger. */
export function againstTable({ files }: BacktestReport, { colors }: { colors: boolean }): string {
  const paint = createPaint(colors);
  const rows = againstRows(files);
  const { unmeasured } = recordedTotals(files.map(({ against }) => against));
  const left = unmeasured === 0 ? '' : `, ${plural(unmeasured, 'compaction')} left out`;
  const title = paint.bold('Against recorded compactions');
  if (rows.length === 0) return `${title}: nothing to measure${left}.\n`;
  const line = (name: string, cells: readonly string[]) =>
    `  ${name.padEnd(NAME_COLUMNS)}${cells.map((cell) => cell.padStart(13)).join('')}`;
  return [
    `${title}${left}`,
    paint.dim(line('agent', HEADINGS)),
    ...rows.map(({ format, compactions, tokens, needed, recordedSeen, ownSeen }) =>
      line(format, [
        String(compactions),
        formatTokens(Math.round(tokens / compactions)),
        String(needed),
        percent(recordedSeen / needed),
        percent(ownSeen / needed),
      ]),
    ),
    paint.dim(
      'needed: names that steps after a compaction used, before they were shown again; tokens: mean size of its',
    ),
    paint.dim('summary, and of our ledger at the same place.\n'),
  ].join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`;
}
