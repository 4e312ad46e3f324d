import { LonghaulError, suggestion } from '@longhaul/protocol';
import type { ReplayReport } from '@longhaul/protocol/api';
import type { BacktestReport, FileReport } from '@longhaul/replay';
import type { ReplayService } from '@longhaul/server';
import { withUploadedFile } from './uploaded-file.ts';

/** Sessions that run on this server need the other processors. */
const WORKERS = 1;

/** Replays files that came over HTTP, with built-in strategies only. The replay is loaded at the first one. */
export function replayUploads(): ReplayService {
  return {
    async replay(file, { name, windows, strategies, wantsPage, signal }) {
      const replay = await import('@longhaul/replay');
      const methods = methodsOf(strategies, {
        strategies: replay.strategyNames(),
        baselines: replay.baselineNames(),
      });
      const report = await withUploadedFile(file, (path) =>
        replay.runBacktest({
          paths: [path],
          windows,
          methods,
          workers: WORKERS,
          wantsTrace: wantsPage,
          signal,
        }),
      );
      const named = { ...report, files: report.files.map((each) => ({ ...each, path: name })) };
      const shown = toReport(named, name, replay.totalsOf);
      return wantsPage ? { report: shown, page: await replay.renderPage(named) } : { report: shown };
    },
  };
}

/** @throws {LonghaulError} `invalid_request` for another name, also for the path of a module. */
function methodsOf(
  names: readonly string[],
  { strategies, baselines }: { strategies: readonly string[]; baselines: readonly string[] },
): string[] {
  const known = [...strategies, ...baselines];
  const wanted = names.flatMap((name) => {
    if (name === 'all') return strategies;
    if (known.includes(name)) return [name];
    const shown = JSON.stringify(name.slice(0, 100));
    throw new LonghaulError(
      'invalid_request',
      `There is no strategy ${shown}.${suggestion(name, known)} There are: all, ${known.join(', ')}.`,
    );
  });
  return [...new Set(wanted)];
}

type Totals = typeof import('@longhaul/replay')['totalsOf'];

function toReport(
  { files, windows, methods }: BacktestReport,
  name: string,
  totalsOf: Totals,
): Awaited<ReturnType<ReplayService['replay']>>['report'] {
  const [file] = files;
  const results = windows.flatMap((windowTokens) =>
    methods.map((strategy) => resultOf({ file, files, windowTokens, strategy }, totalsOf)),
  );
  return {
    name,
    windows: [...windows],
    strategies: [...methods],
    problem: file?.problem,
    notes: [...(file?.notes ?? [])],
    session: file?.session === undefined ? undefined : { ...file.session },
    results: file?.problem === undefined ? results : [],
  };
}

function resultOf(
  given: {
    file: FileReport | undefined;
    files: readonly FileReport[];
    windowTokens: number;
    strategy: string;
  },
  totalsOf: Totals,
): ReplayReport['results'][number] {
  const { file, files, windowTokens, strategy } = given;
  const run = file?.runs.find((each) => each.method === strategy && each.windowTokens === windowTokens);
  const totals = totalsOf(files, strategy, windowTokens);
  const { recall, farRecall, groundedRecall, overflows, sentTokens, costTokens, compactions } = totals;
  return {
    windowTokens,
    strategy,
    isSkipped: run?.isSkipped ?? true,
    recall,
    farRecall,
    groundedRecall,
    overflows,
    sentTokens,
    costTokens,
    compactions,
  };
}
