import { basename } from 'node:path';
import type { FileReport, NeedsTrace, RunReport } from '../backtest/backtest-types.ts';
import { windowOptions } from '../backtest/method.ts';
import { baselineNames } from '../backtest/methods.ts';
import type { BacktestReport } from '../backtest/run-backtest.ts';
import { type MethodTotals, totalsOf } from '../backtest/totals.ts';

/** What the page is drawn from. */
export interface PageData {
  readonly methods: readonly string[];
  /** Those of them that are no strategies of the engine. */
  readonly baselines: readonly string[];
  readonly windows: readonly PageWindow[];
  readonly sessions: readonly PageSession[];
  readonly problems: readonly { readonly path: string; readonly message: string }[];
  /** Sessions whose steps are left out, so that the page stays small. */
  readonly untraced: number;
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
  /** Facts that some step needed. */
  readonly facts: readonly string[];
  /** For each step: near facts, then far ones. */
  readonly needs: NeedsTrace['needs'];
  readonly runs: readonly RunReport[];
}

/** Steps of more sessions than these make a page that no browser likes. */
const MAX_TRACED_SESSIONS = 60;

/** Sessions with the most far facts first: they say most about a strategy. */
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
  };
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

/** Numbers from 0 in the order of first use, so that only what is used stands in the page. */
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
