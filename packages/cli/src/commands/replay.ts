import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { LonghaulError, suggestion } from '@longhaul/protocol';
import {
  type BacktestReport,
  baselineNames,
  commandMethodName,
  isStrategyPath,
  renderPage,
  runBacktest,
  strategyNames,
} from '@longhaul/replay';
import { REPLAY_FLAGS } from '../command-line/flags.ts';
import { parseFlags, positiveNumber, usage } from '../command-line/parse-flags.ts';
import { resolveNamed } from '../compose/choose-model.ts';
import { createDriver } from '../compose/create-driver.ts';
import { loadSettings } from '../compose/load-settings.ts';
import { formatCost, plural, printable } from '../render/format.ts';
import { againstTable } from '../replay/against-table.ts';
import { type NarrativeCount, type Narrator, narratorOf } from '../replay/narrator.ts';
import { newestOwnSessions } from '../replay/own-sessions.ts';
import { hasProbes, probeTable } from '../replay/probe-table.ts';
import { progressBar } from '../replay/progress.ts';
import { replayTable } from '../replay/replay-table.ts';
import { fileLines, totalsLine } from '../replay/totals-line.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

const DEFAULT_WINDOW = '32000';
/** Smaller windows have no room for one step of a coding agent. */
const MIN_WINDOW = 1_000;
const CANCELLED = 130;
/** US dollars for all narratives of a replay. */
const DEFAULT_MAX_COST = 5;

/** `longhaul replay FILE|FOLDER…`: measures what each strategy keeps, loses and costs on recorded sessions. */
export async function replay(argv: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = parseFlags(argv, 'replay', REPLAY_FLAGS);
  const workers = positiveNumber(values.workers, '--workers', { whole: true });
  using interrupt = watchInterrupts(terminal, () => {});
  const paths = await pathsOf(positionals, values, terminal);
  if (paths.length === 0) return 1;
  if (values['through-agent'] === true) {
    const { throughAgent } = await import('./replay-through-agent.ts');
    const windows = windowsOf(values.window ?? DEFAULT_WINDOW);
    return throughAgent({ values, paths, windows, signal: interrupt.signal }, terminal);
  }
  const narrator = await narratorFrom(values, { terminal, signal: interrupt.signal });
  const options = {
    paths,
    windows: windowsOf(values.window ?? DEFAULT_WINDOW),
    methods: [
      ...methodsOf(values.strategy ?? 'all', { baselines: values.baselines === true }),
      ...(values['view-command'] ?? []).map(commandMethodName),
    ],
    wantsTrace: values.html !== undefined,
    acceptsPartial: values.partial === true,
    againstRecorded: values['against-recorded'] === true,
    wantsProbes: values.probes === true,
    signal: interrupt.signal,
    workers,
    ...(narrator && { summarise: narrator.summarise }),
  };
  const report = await runWithProgress(options, terminal);
  if (report === undefined) return CANCELLED;
  if (values.html !== undefined) await writePage(report, resolve(terminal.cwd, values.html));
  const isComplete = narrator === undefined || reportNarratives(narrator.count, terminal);
  const code = print(report, terminal, {
    json: values.json === true,
    noColor: values['no-color'],
    againstRecorded: options.againstRecorded,
    narratives: narrator?.count,
  });
  return isComplete ? code : 1;
}

/** Without a path, the newest sessions of the agents on this machine. */
async function pathsOf(
  positionals: readonly string[],
  { cwd = '.' }: { cwd?: string },
  terminal: Terminal,
): Promise<string[]> {
  if (positionals.length > 0) return positionals.map((path) => resolve(terminal.cwd, cwd, path));
  return await newestOwnSessions(terminal);
}

async function runWithProgress(
  options: Parameters<typeof runBacktest>[0],
  terminal: Terminal,
): Promise<BacktestReport | undefined> {
  using bar = progressBar(terminal);
  try {
    return await runBacktest({ ...options, onProgress: (progress) => bar.show(progress) });
  } catch (error) {
    if (options.signal?.aborted === true) return undefined;
    throw error;
  }
}

interface PrintOptions {
  json: boolean;
  noColor: boolean | undefined;
  againstRecorded: boolean;
  narratives: Readonly<NarrativeCount> | undefined;
}

/** Returns false if narratives are missing, so that the measures are not those of a strategy with all of them. */
function reportNarratives(count: Readonly<NarrativeCount>, terminal: Terminal): boolean {
  const { written, failed, failure = '', refused, costUsd } = count;
  const cost = costUsd === undefined ? 'cost unknown' : formatCost(costUsd);
  terminal.err.write(`Narratives: ${written} written, ${cost}.\n`);
  if (failed > 0)
    terminal.err.write(`${plural(failed, 'narrative')} failed. The first: ${printable(failure)}\n`);
  if (refused > 0)
    terminal.err.write(
      `${plural(refused, 'narrative')} would exceed the cost limit and were not requested. Raise --max-cost.\n`,
    );
  if (failed + refused > 0) terminal.err.write('The summaries without a narrative consist of the ledger.\n');
  return failed + refused === 0;
}

function print(
  report: BacktestReport,
  terminal: Terminal,
  { json, noColor, againstRecorded, narratives }: PrintOptions,
): number {
  const unreadable = report.files.filter((file) => file.problem !== undefined);
  for (const { path, problem } of unreadable)
    terminal.err.write(`${printable(path)}: ${printable(problem ?? '')}\n`);
  const isEmpty = report.files.length === unreadable.length;
  if (isEmpty) terminal.err.write(`${nothingFound(report)}\n`);
  if (json)
    for (const line of [...fileLines(report), totalsLine(report, narratives)])
      terminal.out.write(`${line}\n`);
  else if (!isEmpty) {
    const colors = wantsColors(terminal, noColor);
    terminal.out.write(replayTable(report, { colors }));
    if (hasProbes(report)) terminal.out.write(`\n${probeTable(report, { colors })}`);
    if (againstRecorded) terminal.out.write(`\n${againstTable(report, { colors })}`);
  }
  const failed = failedRuns(report);
  for (const line of failed) terminal.err.write(`${printable(line)}\n`);
  return failed.length > 0 || unreadable.length > 0 || report.files.length === 0 ? 1 : 0;
}

/** Programs of somebody else that failed, one line for each session. */
function failedRuns({ files }: BacktestReport): string[] {
  return files.flatMap(({ path, runs }) =>
    runs.flatMap(({ problem, windowTokens }) =>
      problem === undefined ? [] : [`${path}, window ${windowTokens}: ${problem}`],
    ),
  );
}

function nothingFound({ leftAside }: BacktestReport): string {
  const aside =
    leftAside === 0
      ? ''
      : ` ${leftAside} files were left aside: in a folder, sessions end with .json, .jsonl, .ndjson or .traj, or are Markdown of Aider or SpecStory.`;
  return `No session was found to replay.${aside}`;
}

function windowsOf(text: string): number[] {
  const windows = text
    .split(',')
    .map((item) => positiveNumber(item.trim(), '--window', { whole: true }) ?? 0);
  const small = windows.find((window) => window < MIN_WINDOW);
  if (small !== undefined)
    throw usage(
      `--window must be at least ${MIN_WINDOW} tokens, not ${small}. Separate several windows with commas.`,
      'replay',
    );
  return [...new Set(windows)];
}

function methodsOf(text: string, { baselines }: { baselines: boolean }): string[] {
  const known = [...strategyNames(), ...baselineNames()];
  const named = text.split(',').flatMap((item) => {
    const name = item.trim();
    if (name === 'all') return strategyNames();
    if (known.includes(name) || isStrategyPath(name)) return [name];
    throw usage(
      `There is no strategy "${name}"; there are: all, ${known.join(', ')}.${suggestion(name, known, (strategy) => strategy)}`,
      'replay',
    );
  });
  return [...new Set([...named, ...(baselines ? baselineNames() : [])])];
}

interface ModelFlags {
  narrative?: string;
  summarizer?: string;
  'max-cost'?: string;
  cwd?: string;
  config?: string;
}

/** `--summarizer` is the older name of `--narrative`. */
async function narratorFrom(
  flags: ModelFlags,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<Narrator | undefined> {
  const model = flags.narrative ?? flags.summarizer;
  const limit = positiveNumber(flags['max-cost'], '--max-cost', { whole: false });
  if (model === undefined || model === 'none') {
    if (limit !== undefined)
      throw usage('--max-cost limits narratives: name a model with --narrative.', 'replay');
    return undefined;
  }
  const { config } = await loadSettings(flags, terminal);
  const resolved = resolveNamed(config, { model }, terminal.env);
  const { driver } = await createDriver(resolved, { stallMs: config.retry.stallMs });
  const isPriced = driver.info.price !== undefined;
  if (limit !== undefined && !isPriced)
    throw usage(
      `The price of ${model} is not known, so --max-cost cannot limit its cost. Set providers.NAME.models.MODEL.price.`,
      'replay',
    );
  return narratorOf(driver, { signal, maxCostUsd: isPriced ? (limit ?? DEFAULT_MAX_COST) : undefined });
}

async function writePage(report: BacktestReport, path: string): Promise<void> {
  try {
    await writeFile(path, await renderPage(report));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError('usage', `The page cannot be written: ${reason}`, { cause });
  }
}
