/** The tokens of the requests of a session over its steps. */

export interface StepFigures {
  sequence: number;
  /** Tokens of the request. Absent if the provider reported none. */
  tokens?: number;
}

export interface ChartPoint {
  x: number;
  y: number;
  sequence: number;
  tokens: number;
}

export interface ChartModel {
  points: readonly ChartPoint[];
  /** Where a compaction was made: between two steps. */
  compactions: readonly number[];
  /** The highest value of the axis. */
  top: number;
}

/** More points than this cannot be told apart: the highest of each group is shown, and the last. */
const MAX_POINTS = 400;

/** Places the steps from 0 to 1 in both directions. Steps without figures are left out. */
export function chartModel(
  steps: readonly StepFigures[],
  { compactedAfter, atLeast = 0 }: { compactedAfter: readonly number[]; atLeast?: number },
): ChartModel {
  const measured = steps.flatMap(({ sequence, tokens }) =>
    tokens === undefined ? [] : [{ sequence, tokens }],
  );
  const top = measured.reduce((most, { tokens }) => Math.max(most, tokens), Math.max(1, atLeast));
  const last = Math.max(1, measured.length - 1);
  const points = measured.map(({ sequence, tokens }, index) => ({
    x: index / last,
    y: tokens / top,
    sequence,
    tokens,
  }));
  const compactions = compactedAfter.map((sequence) => {
    const next = measured.findIndex((step) => step.sequence > sequence);
    if (next === -1) return 1;
    return Math.max(0, next - 0.5) / last;
  });
  return { points: thinned(points), compactions, top };
}

function thinned(points: readonly ChartPoint[]): readonly ChartPoint[] {
  if (points.length <= MAX_POINTS) return points;
  const size = Math.ceil(points.length / (MAX_POINTS / 2));
  const kept = new Set<ChartPoint>();
  for (let start = 0; start < points.length; start += size) {
    const group = points.slice(start, start + size);
    // Both ends of a saw tooth.
    kept.add(group.reduce((a, b) => (b.tokens > a.tokens ? b : a)));
    kept.add(group.reduce((a, b) => (b.tokens < a.tokens ? b : a)));
  }
  return points.filter((point, index) => kept.has(point) || index === points.length - 1);
}
