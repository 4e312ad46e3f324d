import type { BacktestReport, MethodTotals } from '@longhaul/replay';
import { totalsOf } from '@longhaul/replay';

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
  };
}

function rounded(share: number | null): number | null {
  return share === null ? null : Math.round(share * 10_000) / 10_000;
}

/** `{"strategies":{…}}` for one window; for several `{"windows":{"16000":{"strategies":{…}},…}}`. */
export function totalsLine({ files, methods, windows }: BacktestReport): string {
  const strategiesAt = (window: number) => ({
    strategies: Object.fromEntries(
      methods.map((method) => [method, totalsShape(totalsOf(files, method, window))]),
    ),
  });
  const [first, ...others] = windows;
  if (first !== undefined && others.length === 0) return JSON.stringify(strategiesAt(first));
  return JSON.stringify({
    windows: Object.fromEntries(windows.map((window) => [window, strategiesAt(window)])),
  });
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
      const shapes = measured.map(
        (method) => [method, totalsShape(totalsOf([file], method, window))] as const,
      );
      return [window, { strategies: Object.fromEntries(shapes) }] as const;
    });
    const { path, session, notes } = file;
    const everythingCostTokens = Math.round(session?.everythingCostTokens ?? 0);
    const windowResults = Object.fromEntries(results);
    return JSON.stringify({
      type: 'session',
      path,
      ...session,
      everythingCostTokens,
      notes,
      windows: windowResults,
    });
  });
}
