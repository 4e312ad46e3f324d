import type { BacktestReport, FileReport, MethodTotals } from '@longhaul/replay';
import { againstRows, recordedTotals, totalsOf } from '@longhaul/replay';
import type { NarrativeCount } from './narrator.ts';

/**
 * The totals of one strategy, as `--json` prints them. Shares have four decimals; null if there is nothing to divide.
 */
function totalsShape(totals: MethodTotals) {
  return {
    farRecall: rounded(totals.farRecall),
    groundedRecall: rounded(totals.groundedRecall),
    recall: rounded(totals.recall),
    overflows: totals.overflows,
    sentTokens: totals.sentTokens,
    costTokens: totals.costTokens,
    compactions: totals.compactions,
    meanFarRecall: rounded(totals.meanFarRecall),
    farFacts: totals.farFacts,
    farSeen: totals.farSeen,
    farGrounded: totals.farGrounded,
    neededFacts: totals.neededFacts,
    neededSeen: totals.neededSeen,
    ...(totals.probes && { probes: totals.probes }),
  };
}

function rounded(share: number | null): number | null {
  return share === null ? null : Math.round(share * 10_000) / 10_000;
}

/**
 * `{"strategies":{…},"formats":{"codex":{"strategies":{…}},…}}` for one window; for several
 * `{"windows":{"16000":{"strategies":{…},"formats":{…}},…}}`.
 */
export function totalsLine(
  { files, methods, windows }: BacktestReport,
  narratives?: Readonly<NarrativeCount>,
): string {
  const formats = [...new Set(files.flatMap(({ format }) => format ?? []))].sort();
  const totalsAt = (window: number) => ({
    strategies: strategyShapes(files, methods, window),
    formats: Object.fromEntries(
      formats.map((format) => {
        const ofFormat = files.filter((file) => file.format === format);
        return [format, { strategies: strategyShapes(ofFormat, methods, window) }];
      }),
    ),
  });
  const [first, ...others] = windows;
  const against = { ...againstShape(files), ...(narratives && { narratives }) };
  if (first !== undefined && others.length === 0) return JSON.stringify({ ...totalsAt(first), ...against });
  return JSON.stringify({
    windows: Object.fromEntries(windows.map((window) => [window, totalsAt(window)])),
    ...against,
  });
}

/** Empty if the recorded compactions were not measured. */
function againstShape(files: readonly FileReport[]) {
  if (files.every(({ against }) => against === undefined)) return {};
  const rows = againstRows(files).filter(({ format }) => format !== 'all');
  const formats = Object.fromEntries(rows.map(({ format, ...totals }) => [format, totals]));
  return { againstRecorded: { ...recordedTotals(files.map(({ against }) => against)), formats } };
}

function strategyShapes(files: readonly FileReport[], methods: readonly string[], window: number) {
  return Object.fromEntries(methods.map((method) => [method, totalsShape(totalsOf(files, method, window))]));
}

/** Returns one line per file, with its format and its measures. */
export function fileLines({ files, methods, windows }: BacktestReport): string[] {
  return files.map((file) => {
    if (file.problem !== undefined)
      return JSON.stringify({ type: 'problem', path: file.path, message: file.problem });
    const results = windows.map((window) => {
      const measured = methods.filter((method) =>
        file.runs.some((run) => run.method === method && run.windowTokens === window && !run.isSkipped),
      );
      return [window, { strategies: strategyShapes([file], measured, window) }] as const;
    });
    const { path, format, session, notes, against } = file;
    const everythingCostTokens = Math.round(session?.everythingCostTokens ?? 0);
    const windowResults = Object.fromEntries(results);
    return JSON.stringify({
      type: 'session',
      path,
      format,
      ...session,
      everythingCostTokens,
      notes,
      windows: windowResults,
      ...(against && { againstRecorded: against }),
    });
  });
}
