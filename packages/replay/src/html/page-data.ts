import { basename } from 'node:path';
import { againstRows, type RecordedPoint, type RecordedTotals } from '../backtest/against-recorded.ts';
import type { FileReport, NeedsTrace, RunReport } from '../backtest/backtest-types.ts';
import { windowOptions } from '../backtest/method.ts';
import { baselineNames } from '../backtest/methods.ts';
import type { BacktestReport } from '../backtest/run-backtest.ts';
import { type MethodTotals, totalsOf } from '../backtest/totals.ts';

/** The data of the HTML page. */
export interface PageData {
  readonly methods: readonly string[];
  /** The methods that are not strategies of the engine. */
  readonly baselines: readonly string[];
  readonly windows: readonly PageWindow[];
  readonly sessions: readonly PageSession[];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** Number of sessions without steps in the page, to keep it small. */
  readonly untraced: number;
  /** The recorded agents' own compactions, for each format and for each compaction. Empty if they were not measured. */
  readonly against: {
    readonly rows: readonly (RecordedTotals & { readonly format: string })[];
    readonly points: readonly (RecordedPoint & { readonly name: string })[];
  };
}

export interface PageWindow {
  readonly tokens: number;
  readonly usableTokens: number;
  /** In the order of `methods`. */
  readonly totals: readonly MethodTotals[];
}

export interface PageSession {
  readonly name: string;
  readonly tokens: number;
  readonly steps: number;
  /** The facts that a step needed. */
  readonly facts: readonly string[];
  /** For each step, its near facts and its far facts, as indexes of `facts`. */
  readonly needs: NeedsTrace['needs'];
  readonly runs: readonly RunReport[];
}

/** Pages with the steps of more sessions are slow in a browser. */
const MAX_TRACED_SESSIONS = 60;

/**
 * Returns the data of a report. Sessions with the most far facts come first, because they differ most between
 * strategies.
 */
export function pageData({ windows, methods, files }: BacktestReport): PageData {
  const sessions = files
    .flatMap((file) => pageSession(file) ?? [])
    .sort((left, right) => farFacts(right) - farFacts(left));
  return {
    methods,
    baselines: methods.filter((method) => baselineNames().includes(method)),
    windows: windows.map((tokens) => ({
      tokens,
      usableTokens: windowOptions(tokens).usableTokens,
      totals: methods.map((method) => totalsOf(files, method, tokens)),
    })),
    sessions: sessions.slice(0, MAX_TRACED_SESSIONS),
    problems: files.flatMap(({ path, problem }) =>
      problem === undefined ? [] : [{ path, message: problem }],
    ),
    untraced: Math.max(0, sessions.length - MAX_TRACED_SESSIONS),
    against: againstData(files),
  };
}

function againstData(files: readonly FileReport[]): PageData['against'] {
  const rows = againstRows(files);
  const points = files.flatMap(({ path, against }) =>
    (against?.points ?? []).map((point) => ({ name: basename(path), ...point })),
  );
  return { rows, points };
}

function pageSession(file: FileReport): PageSession | undefined {
  const { session, needs, path } = file;
  const runs = file.runs.filter((run) => !run.isSkipped);
  if (session === undefined || needs === undefined || runs.length === 0) return undefined;
  const numbers = new Numbering();
  const renumber = (facts: readonly number[]) => facts.map((fact) => numbers.of(fact));
  const renumbered = needs.needs.map(([near, far]) => [renumber(near), renumber(far)] as const);
  const traced = runs.map((run) => withMissing(run, renumber));
  return {
    name: basename(path),
    tokens: session.tokens,
    steps: session.steps,
    facts: numbers.order.map((fact) => needs.facts[fact] ?? ''),
    needs: renumbered,
    runs: traced,
  };
}

function withMissing(run: RunReport, renumber: (facts: readonly number[]) => number[]): RunReport {
  if (run.trace === undefined) return run;
  const missing = run.trace.missing.map(([step, facts]) => [step, renumber(facts)] as const);
  return { ...run, trace: { ...run.trace, missing } };
}

/** Numbers facts from 0 in the order of first use, so that the page contains only used facts. */
class Numbering {
  readonly order: number[] = [];
  readonly #numbers = new Map<number, number>();

  of(fact: number): number {
    const known = this.#numbers.get(fact);
    if (known !== undefined) return known;
    this.#numbers.set(fact, this.order.length);
    this.order.push(fact);
    return this.order.length - 1;
  }
}

function farFacts({ needs }: PageSession): number {
  return needs.reduce((sum, [, far]) => sum + far.length, 0);
}
