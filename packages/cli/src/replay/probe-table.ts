import { type BacktestReport, PROBE_KINDS, type ProbeCount, totalsOf } from '@longhaul/replay';
import { fitLine, formatTokens } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';

const NAME_COLUMNS = 26;

export function hasProbes({ files }: BacktestReport): boolean {
  return files.some(({ runs }) => runs.some(({ probes }) => probes !== undefined));
}

/** Returns a table for each window: the share of the questions about planted details that each method's views answer. */
export function probeTable(
  { files, methods, windows }: BacktestReport,
  { colors }: { colors: boolean },
): string {
  const paint = createPaint(colors);
  const heading = ['all', ...PROBE_KINDS, 'asked', 'rounds'].map((name) => name.padStart(11)).join('');
  const tables = windows.map((window) => {
    const rows = methods.flatMap((method) => {
      const { probes } = totalsOf(files, method, window);
      if (probes === undefined) return [];
      const counts = PROBE_KINDS.map((kind) => probes.kinds[kind]);
      const all = {
        asked: counts.reduce((sum, { asked }) => sum + asked, 0),
        answered: counts.reduce((sum, { answered }) => sum + answered, 0),
      };
      if (all.asked === 0) return [];
      const cells = [all, ...counts].map(percent);
      const rounds = (probes.rounds / all.asked).toFixed(1);
      const shown = [...cells, String(all.asked), rounds].map((cell) => cell.padStart(11)).join('');
      return [`  ${fitLine(method, NAME_COLUMNS - 3).padEnd(NAME_COLUMNS - 2)}${shown}`];
    });
    const title = paint.bold(`Planted details, window ${formatTokens(window)}`);
    if (rows.length === 0) return `${title}: no session is long enough to ask for one.`;
    return [title, paint.dim(`${' '.repeat(NAME_COLUMNS)}${heading}`), ...rows].join('\n');
  });
  const legend = paint.dim(
    'share of the questions that the view answers, about details older than the window; rounds: mean number of compactions since.',
  );
  return `${tables.join('\n\n')}\n${legend}\n`;
}

function percent({ asked, answered }: ProbeCount): string {
  return asked === 0 ? '–' : `${((answered / asked) * 100).toFixed(1)}%`;
}
