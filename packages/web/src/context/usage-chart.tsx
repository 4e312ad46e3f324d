import './usage-chart.css';
import { useId } from 'react';
import { formatTokens } from '../ui/format.ts';
import { type ChartModel, chartModel, type StepFigures } from './usage-chart-model.ts';

const WIDTH = 600;
const HEIGHT = 160;

export interface UsageChartProps {
  steps: readonly StepFigures[];
  compactedAfter: readonly number[];
  triggerTokens: number | undefined;
}

/** Tokens of each request over the session: they rise with every step, and fall at each compaction. */
export function UsageChart({ steps, compactedAfter, triggerTokens }: UsageChartProps) {
  const titleId = useId();
  const model = chartModel(steps, { compactedAfter, atLeast: triggerTokens ?? 0 });
  if (model.points.length < 2) return <p className="quiet">The chart begins with the second step.</p>;
  const triggerY = triggerTokens === undefined ? undefined : HEIGHT * (1 - triggerTokens / model.top);
  return (
    <figure className="usage-chart">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-labelledby={titleId} preserveAspectRatio="none">
        <title id={titleId}>{titleOf(model)}</title>
        {triggerY !== undefined && (
          <line className="chart-trigger" x1="0" x2={WIDTH} y1={triggerY} y2={triggerY} />
        )}
        {model.compactions.map((x, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: compactions do not move
          <line key={index} className="chart-compaction" x1={x * WIDTH} x2={x * WIDTH} y1="0" y2={HEIGHT} />
        ))}
        <path className="chart-area" d={`${pathOf(model)} L ${WIDTH} ${HEIGHT} L 0 ${HEIGHT} Z`} />
        <path className="chart-line" d={pathOf(model)} />
      </svg>
      <figcaption className="quiet">
        Tokens of each request, up to {formatTokens(model.top)}. Vertical lines are compactions
        {triggerTokens !== undefined &&
          `, the horizontal one is the trigger at ${formatTokens(triggerTokens)}`}
        .
      </figcaption>
    </figure>
  );
}

function pathOf({ points }: ChartModel): string {
  return points
    .map(
      ({ x, y }, index) =>
        `${index === 0 ? 'M' : 'L'} ${(x * WIDTH).toFixed(1)} ${(HEIGHT * (1 - y)).toFixed(1)}`,
    )
    .join(' ');
}

function titleOf({ points, compactions }: ChartModel): string {
  const last = points.at(-1);
  return `Tokens of the requests of ${points.length} steps with ${compactions.length} compactions. The last one has ${formatTokens(last?.tokens ?? 0)}.`;
}
