import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Summarise } from '@longhaul/context';
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
import { printable } from '../render/format.ts';
import { againstTable } from '../replay/against-table.ts';
import { newestOwnSessions } from '../replay/own-sessions.ts';
import { hasProbes, probeTable } from '../replay/probe-table.ts';
import { progressBar } from '../replay/progress.ts';
import { replayTable } from '../replay/replay-table.ts';
import { summariserOf } from '../replay/summariser.ts';
import { fileLines, totalsLine } from '../replay/totals-line.ts';
import { watchInterrupts } from '../run/interrupt.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

const DEFAULT_WINDOW = '32000';
/** Smaller windows have no room for one step of a coding agent. */
const MIN_WINDOW = 1_000;
const CANCELLED = 130;

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
    ...(await summariserFrom(values, { terminal, signal: interrupt.signal })),
  };
  const report = await runWithProgress(options, terminal);
  if (report === undefined) return CANCELLED;
  if (values.html !== undefined) await writePage(report, resolve(terminal.cwd, values.html));
  return print(report, terminal, {
    json: values.json === true,
    noColor: values['no-color'],
    againstRecorded: options.againstRecorded,
  });
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
}

function print(
  report: BacktestReport,
  terminal: Terminal,
  { json, noColor, againstRecorded }: PrintOptions,
): number {
  const unreadable = report.files.filter((file) => file.problem !== undefined);
  for (const { path, problem } of unreadable)
    terminal.err.write(`${printable(path)}: ${printable(problem ?? '')}\n`);
  const isEmpty = report.files.length === unreadable.length;
  if (isEmpty) terminal.err.write(`${nothingFound(report)}\n`);
  if (json) for (const line of [...fileLines(report), totalsLine(report)]) terminal.out.write(`${line}\n`);
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
  summarizer?: string;
  cwd?: string;
  config?: string;
}

async function summariserFrom(
  flags: ModelFlags,
  { terminal, signal }: { terminal: Terminal; signal: AbortSignal },
): Promise<{ summarise?: Summarise }> {
  const { summarizer: model } = flags;
  if (model === undefined || model === 'none') return {};
  const { config } = await loadSettings(flags, terminal);
  const resolved = resolveNamed(config, { model }, terminal.env);
  const { driver } = await createDriver(resolved, { stallMs: config.retry.stallMs });
  return { summarise: summariserOf(driver, signal) };
}

async function writePage(report: BacktestReport, path: string): Promise<void> {
  try {
    await writeFile(path, await renderPage(report));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError('usage', `The page cannot be written: ${reason}`, { cause });
  }
}
