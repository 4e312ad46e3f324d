import { addProbes, type ProbeTally } from '../probes/ask-probes.ts';
import type { FileReport, RunReport } from './backtest-types.ts';
import { addTallies, EMPTY_TALLY, share, type Tally } from './measures.ts';

/** The measures of one method at one window over all sessions. */
export interface MethodTotals {
  readonly method: string;
  readonly windowTokens: number;
  /** Number of sessions larger than the window. */
  readonly sessions: number;
  /** Shares from 0 to 1 over all steps of all sessions. Null if there are no such facts. */
  readonly farRecall: number | null;
  readonly groundedRecall: number | null;
  readonly recall: number | null;
  readonly overflows: number;
  readonly sentTokens: number;
  readonly costTokens: number;
  readonly compactions: number;
  /** Cost as a share of the cost of sending everything. */
  readonly costShare: number | null;
  /** Mean over the sessions that have far facts. */
  readonly meanFarRecall: number | null;
  /** The far facts, and those among them that were in the view, and that were in it next to their file. */
  readonly farFacts: number;
  readonly farSeen: number;
  readonly farGrounded: number;
  readonly neededFacts: number;
  readonly neededSeen: number;
  readonly steps: number;
  readonly exhausted: number;
  /** Time of the method itself. */
  readonly millisecondsPerStep: number;
  /** What the method kept of planted details, if it was asked for. */
  readonly probes?: ProbeTally;
}

export function totalsOf(files: readonly FileReport[], method: string, windowTokens: number): MethodTotals {
  const measured = files.flatMap((file) =>
    file.runs
      .filter((run) => run.method === method && run.windowTokens === windowTokens && !run.isSkipped)
      .map((run) => ({ run, session: file.session })),
  );
  const runs = measured.map(({ run }) => run);
  const tally = runs.map((run) => run.tally).reduce(addTallies, EMPTY_TALLY);
  const everything = sum(measured, ({ session }) => session?.everythingCostTokens ?? 0);
  const probes = runs.flatMap((run) => run.probes ?? []);
  const milliseconds = sum(runs, (run) => run.milliseconds);
  return {
    method,
    windowTokens,
    sessions: runs.length,
    ...sharesOf(tally),
    overflows: tally.overflows,
    sentTokens: tally.sentTokens,
    costTokens: Math.round(tally.costTokens),
    costShare: share(tally.costTokens, everything) ?? null,
    compactions: tally.compactions,
    meanFarRecall: meanFarRecall(runs),
    farFacts: tally.far,
    farSeen: tally.farSeen,
    farGrounded: tally.farGrounded,
    neededFacts: tally.needed,
    neededSeen: tally.neededSeen,
    steps: tally.steps,
    exhausted: sum(runs, (run) => run.exhausted),
    millisecondsPerStep: tally.steps === 0 ? 0 : milliseconds / tally.steps,
    ...(probes.length > 0 && { probes: addProbes(probes) }),
  };
}

function sum<Item>(items: readonly Item[], value: (item: Item) => number): number {
  return items.reduce((total, item) => total + value(item), 0);
}

function sharesOf(tally: Tally) {
  return {
    farRecall: share(tally.farSeen, tally.far) ?? null,
    groundedRecall: share(tally.farGrounded, tally.far) ?? null,
    recall: share(tally.neededSeen, tally.needed) ?? null,
  };
}

function meanFarRecall(runs: readonly RunReport[]): number | null {
  const shares = runs.flatMap(({ tally }) => share(tally.farSeen, tally.far) ?? []);
  const total = sum(shares, (value) => value);
  return share(total, shares.length) ?? null;
}
