import { fittedAxis } from './axis.js';
import { axes, chart, plotSize, scales, textWidth } from './chart.js';
import { element, shape } from './dom.js';
import { percentTicks, tokens, tokenTicks } from './format.js';
import { placeLabels } from './labels.js';
import { change, colourOf, data, MEASURES, state } from './state.js';

export function frontier() {
  const rows = data.windows[state.window].totals.filter((row) => row[state.measure] !== null);
  const possible = rows.filter((row) => row.method !== 'everything');
  const everything = rows.find((row) => row.method === 'everything');
  const note =
    everything === undefined
      ? ''
      : ` Sending everything would cost ${tokens(everything.costTokens)}, and does not fit.`;
  return element(
    'section',
    { class: 'whole' },
    element('h2', {}, 'Recall against cost'),
    element(
      'p',
      {},
      `Better methods are higher and further left. The line joins the methods that no other method beats in both. The axes start near the lowest values, not at 0.${note}`,
    ),
    element(
      'div',
      { class: 'bar' },
      ...Object.entries(MEASURES).map(([key, name]) =>
        element(
          'button',
          { 'aria-pressed': key === state.measure, onclick: () => change({ measure: key }) },
          name,
        ),
      ),
    ),
    possible.length === 0
      ? element('p', {}, 'No step needed such a fact, so there is nothing to compare.')
      : frontierChart(possible),
  );
}

function frontierChart(rows) {
  const size = plotSize();
  const costs = rows.map((row) => row.costTokens);
  const xAxis = fittedAxis(costs, {
    count: size.width / 130,
    minSpan: Math.max(1, Math.max(...costs) * 0.02),
    min: 0,
  });
  const shares = rows.map((row) => row[state.measure]);
  const yAxis = fittedAxis(shares, { count: 5, minSpan: 0.01, min: 0, max: 1 });
  const { x, y } = scales(size, { x: xAxis, y: yAxis });
  const points = rows.map((row) => ({
    row,
    x: x(row.costTokens),
    y: y(row[state.measure]),
    width: textWidth(row.method),
  }));
  return chart(
    size,
    'recall against cost',
    ...axes(size, {
      x,
      y,
      xTicks: tokenTicks(xAxis),
      yTicks: percentTicks(yAxis),
      xName: 'cost in tokens',
      yName: MEASURES[state.measure],
    }),
    shape('polyline', {
      class: 'edge',
      points: bestOf(points)
        .map((point) => `${point.x},${point.y}`)
        .join(' '),
    }),
    ...labelledDots(points, size),
  );
}

/** The methods that no other method beats in recall and in cost, the cheapest first. */
function bestOf(points) {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  let best = Number.POSITIVE_INFINITY;
  return sorted.filter((point) => {
    if (point.y >= best) return false;
    best = point.y;
    return true;
  });
}

function labelledDots(points, { width, height, left, right, top, bottom }) {
  const bounds = { left, right: width - right, top: top - 8, bottom: height - bottom };
  const labels = placeLabels(points, bounds);
  return [
    ...labels.map((label) => label?.line && shape('line', { class: 'leader', ...label.line })),
    ...points.map((point) =>
      shape('circle', { class: 'dot', cx: point.x, cy: point.y, r: 6, fill: colourOf(point.row.method) }),
    ),
    ...labels.map(
      (label, index) =>
        label &&
        shape('text', { class: 'name', x: label.left, y: label.bottom - 4 }, points[index].row.method),
    ),
  ];
}
