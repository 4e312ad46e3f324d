import {
  baselineNames,
  createMethod,
  type FileReport,
  figuresOf,
  findSessionFiles,
  isMeasured,
  loadSession,
  type MethodTotals,
  prepareSession,
  type ReplayMethod,
  type RunReport,
  replaySession,
  strategyNames,
  totalsOf,
} from '@longhaul/replay';
import type { BenchResult, BenchRow } from './bench-result.ts';
import { aiSdkPrune } from './strategies/ai-sdk.ts';
import { langchainTrim } from './strategies/langchain.ts';
import { loadPi, PI_PACKAGE, PI_VERSION, piCompaction } from './strategies/pi.ts';
import { keepLastTen, pruneThenDrop } from './strategies/plain-rules.ts';
import { STUB_SUMMARY, SUMMARY_TOKENS } from './strategies/stub-summary.ts';

const WINDOWS = [16_000, 32_000, 64_000];

/**
 * Compares our strategies with those of other packages and with plain rules, on the same sessions and windows in one
 * run.
 */
export async function benchStrategies(paths: readonly string[]): Promise<BenchResult> {
  const folder = process.env['LONGHAUL_TRANSCRIPTS'];
  const places = paths.length > 0 ? paths : folder === undefined ? [] : [folder];
  const { files } = await findSessionFiles(places);
  if (files.length === 0) {
    const note = 'No recorded session found: pass files or folders, or set LONGHAUL_TRANSCRIPTS.';
    return { name: 'strategies', rows: [], summary: {}, notes: [note] };
  }
  const { methods, notes } = await allMethods();
  const reports: FileReport[] = [];
  for (const { path } of files) reports.push(await replayAll(path, methods));
  const names = methods.map((method) => method.name);
  const totals = WINDOWS.flatMap((window) => names.map((name) => totalsOf(reports, name, window)));
  return { name: 'strategies', rows: totals.map(toRow), summary: summaryOf(totals, names), notes };
}

async function allMethods(): Promise<{ methods: ReplayMethod[]; notes: string[] }> {
  const stub = async () => ({ status: 'ok', text: STUB_SUMMARY, finishedBy: 'stop' }) as const;
  const ours = strategyNames().flatMap((name) => {
    const summarised = createMethod(name, stub);
    return [
      renamed(createMethod(name), `ours: ${name}, no model`),
      renamed(summarised, `ours: ${name}, summary`),
    ];
  });
  const pi = await loadPi(process.env['LONGHAUL_PEERS']);
  const peers = [aiSdkPrune, langchainTrim, ...(pi === undefined ? [] : [piCompaction(pi)])];
  const plain = baselineNames().map((name) => createMethod(name));
  const notes = [
    `Every requested summary is the same text of ${SUMMARY_TOKENS} tokens without facts. Its cost counts.`,
    ...(pi === undefined
      ? [
          `pi is not installed (168 MB). Run npm install --prefix /tmp/peers ${PI_PACKAGE}@${PI_VERSION} and set LONGHAUL_PEERS=/tmp/peers.`,
        ]
      : []),
    'Not compared: @google/gemini-cli-core 0.61.0 (376 MB), because its index does not export its compression.',
  ];
  return { methods: [...ours, ...peers, pruneThenDrop, keepLastTen, ...plain], notes };
}

function renamed(method: ReplayMethod, name: string): ReplayMethod {
  return { name, start: (session, window) => method.start(session, window) };
}

async function replayAll(path: string, methods: readonly ReplayMethod[]): Promise<FileReport> {
  const { messages, problem, notes, format, workspace } = await loadSession(path);
  if (messages === undefined) return { path, problem: problem ?? 'no session', notes, runs: [] };
  const prepared = prepareSession(messages, workspace);
  const runs: RunReport[] = [];
  for (const windowTokens of WINDOWS) {
    if (!isMeasured(prepared, windowTokens)) continue;
    for (const method of methods) {
      const { steps: _, ...result } = await replaySession(prepared, method, windowTokens);
      runs.push({ method: method.name, windowTokens, isSkipped: false, ...result });
    }
  }
  return { path, session: figuresOf(prepared), format, notes, runs };
}

function toRow(totals: MethodTotals): BenchRow {
  const share = (value: number | null) => Number((value ?? 0).toFixed(3));
  return {
    label: `${totals.windowTokens / 1_000}k ${totals.method}`,
    values: {
      far: share(totals.farRecall),
      grounded: share(totals.groundedRecall),
      recall: share(totals.recall),
      over: totals.overflows,
      'sent M': Number((totals.sentTokens / 1e6).toFixed(2)),
      'cost M': Number((totals.costTokens / 1e6).toFixed(2)),
      compactions: totals.compactions,
      'ms/step': Number(totals.millisecondsPerStep.toFixed(2)),
    },
  };
}

/**
 * For each window, compares our default with the other method of best far recall (recall and cost) and with the best
 * grounded recall.
 */
function summaryOf(totals: readonly MethodTotals[], names: readonly string[]): Record<string, number> {
  const own = names[0];
  return Object.fromEntries(
    WINDOWS.flatMap((window) => {
      const here = totals.filter((row) => row.windowTokens === window);
      const ours = here.find((row) => row.method === own);
      const others = here.filter((row) => !row.method.startsWith('ours') && row.method !== 'everything');
      const best = others.reduce((top, row) => ((row.farRecall ?? 0) > (top.farRecall ?? 0) ? row : top));
      const key = `${window / 1_000}k`;
      if (ours === undefined || best.farRecall === null) return [];
      return [
        [`${key} far × best other`, Number(((ours.farRecall ?? 0) / best.farRecall).toFixed(2))],
        [`${key} grounded × best other`, Number(ratioOfBest(ours, others).toFixed(2))],
        [`${key} cost × best other`, Number((ours.costTokens / best.costTokens).toFixed(2))],
      ];
    }),
  );
}

function ratioOfBest(ours: MethodTotals, others: readonly MethodTotals[]): number {
  const best = Math.max(...others.map((row) => row.groundedRecall ?? 0));
  return (ours.groundedRecall ?? 0) / best;
}
