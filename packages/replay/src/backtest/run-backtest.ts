import { availableParallelism } from 'node:os';
import type { Summarise } from '@longhaul/context/engine';
import type { FileReport, RunReport, RunSpec } from './backtest-types.ts';
import { byPath, findSessionFiles } from './find-session-files.ts';
import { JobQueue } from './job-queue.ts';
import type { Job, JobOutcome } from './job-runner.ts';
import { loadMethod } from './methods.ts';
import { runPool } from './worker-pool.ts';

export interface BacktestOptions {
  /** Files and folders. Folders are searched recursively. */
  paths: readonly string[];
  windows: readonly number[];
  /** Names of strategies and of simple methods, and paths of modules with a strategy. */
  methods: readonly string[];
  /** Worker threads. Default: one for each processor, at least 2, at most 8. Results do not depend on it. */
  workers?: number;
  /** Writes narratives. Default: summaries consist of the ledger alone. */
  summarise?: Summarise;
  /** Whether to keep the measures of each step. Default: false. */
  wantsTrace?: boolean;
  /** Whether files that can be read only in part are measured. Default: they have a `problem`. */
  acceptsPartial?: boolean | undefined;
  /** Whether the recorded agents' own compactions are measured. Default: false. */
  againstRecorded?: boolean | undefined;
  /** Whether details are planted into each session and asked for. Default: false. */
  wantsProbes?: boolean | undefined;
  onProgress?: (progress: BacktestProgress) => void;
  signal?: AbortSignal;
}

export interface BacktestProgress {
  readonly done: number;
  readonly total: number;
  /** The file of the last finished job. */
  readonly path: string;
}

export interface BacktestReport {
  readonly windows: readonly number[];
  readonly methods: readonly string[];
  /** Sorted by path. A file that could not be replayed has a `problem`. */
  readonly files: readonly FileReport[];
  /** Number of files in folders that were ignored because of their extension. */
  readonly leftAside: number;
}

const MAX_WORKERS = 8;

/**
 * Replays each session with each method in each window, and measures the view of every step. A file that cannot be
 * replayed is reported and does not stop the others.
 *
 * @throws {LonghaulError} `usage` for an unknown strategy, `cancelled` after an abort, `internal` if a replay fails.
 */
export async function runBacktest(options: BacktestOptions): Promise<BacktestReport> {
  const {
    windows,
    methods,
    wantsTrace = false,
    acceptsPartial = false,
    againstRecorded = false,
    wantsProbes = false,
  } = options;
  for (const method of methods) await loadMethod(method);
  const runs = windows.flatMap((windowTokens) => methods.map((method) => ({ method, windowTokens })));
  const { files, problems, leftAside } = await findSessionFiles(options.paths);
  const reports = new ReportCollector(files.length * runs.length, options.onProgress);
  for (const { path, message } of problems) reports.addProblem(path, message);
  const queue = new JobQueue(files, runs, { wantsTrace, acceptsPartial, againstRecorded, wantsProbes });
  const { summarise, signal } = options;
  await runPool({
    workers: Math.max(1, Math.min(options.workers ?? defaultWorkers(), files.length * runs.length)),
    queue,
    onOutcome: (job, outcome) => reports.add(job, outcome, queue),
    summarise,
    signal,
  });
  return { windows, methods, files: reports.sorted(runs), leftAside };
}

function defaultWorkers(): number {
  return Math.max(2, Math.min(MAX_WORKERS, availableParallelism()));
}

type GrowingReport = { -readonly [Key in keyof FileReport]: FileReport[Key] } & { runs: RunReport[] };

class ReportCollector {
  readonly #reports = new Map<string, GrowingReport>();
  readonly #total: number;
  readonly #onProgress: BacktestOptions['onProgress'];
  #done = 0;

  constructor(total: number, onProgress: BacktestOptions['onProgress']) {
    this.#total = total;
    this.#onProgress = onProgress;
  }

  addProblem(path: string, problem: string): void {
    this.#reports.set(path, { path, problem, notes: [], runs: [] });
  }

  add({ path }: Job, outcome: JobOutcome, queue: JobQueue): void {
    const report = this.#reports.get(path) ?? { path, notes: outcome.notes, runs: [] };
    this.#reports.set(path, report);
    this.#done += 1;
    if (outcome.status === 'unreadable') {
      report.problem = outcome.message;
      report.runs = [];
      this.#done += queue.drop(path);
    } else {
      report.runs.push(outcome.run);
      report.session = outcome.session;
      report.format = outcome.format;
      if (outcome.needs !== undefined) report.needs = outcome.needs;
      if (outcome.against !== undefined) report.against = outcome.against;
    }
    this.#onProgress?.({ done: this.#done, total: this.#total, path });
  }

  /** Returns the reports in an order that does not depend on the speed of the workers. */
  sorted(specs: readonly RunSpec[]): FileReport[] {
    const place = (run: RunReport) =>
      specs.findIndex((spec) => spec.method === run.method && spec.windowTokens === run.windowTokens);
    const reports = [...this.#reports.values()].sort(byPath);
    for (const report of reports) report.runs.sort((left, right) => place(left) - place(right));
    return reports;
  }
}
