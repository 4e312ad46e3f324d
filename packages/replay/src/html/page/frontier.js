import { axes, PLOT, scale, ticks } from './chart.js';
import { element, shape, tokens } from './dom.js';
import { change, colourOf, data, MEASURES, state } from './state.js';

export function frontier() {
  const { width, height, left, right, top, bottom } = PLOT;
  const rows = data.windows[state.window].totals.filter((row) => row[state.measure] !== null);
  const shown = rows.filter((row) => row.method !== 'everything');
  const maxCost = Math.max(1, ...shown.map((row) => row.costTokens)) * 1.15;
  const x = scale(maxCost, left, width - right);
  const y = scale(1, height - bottom, top);
  const edge = bestFor(shown);
  const svg = shape(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'recall against cost' },
    ...axes({
      x,
      y,
      xTicks: ticks(maxCost, 7, tokens),
      yTicks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((value) => [value, `${value * 100} %`]),
      xName: 'cost in tokens (left is cheaper)',
      yName: MEASURES[state.measure],
    }),
    shape('polyline', {
      points: edge.map((row) => `${x(row.costTokens)},${y(row[state.measure])}`).join(' '),
      fill: 'none',
      stroke: 'currentColor',
      'stroke-opacity': 0.35,
    }),
    ...labelled(shown, x, y),
  );
  const everything = rows.find((row) => row.method === 'everything');
  const note =
    everything === undefined
      ? ''
      : ` Sending everything would cost ${tokens(everything.costTokens)}, and does not fit.`;
  return element(
    'section',
    {},
    element('h2', {}, 'Recall against cost'),
    element('p', {}, `Up and left is better; the line joins the methods that no other beats in both.${note}`),
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
    svg,
  );
}

/** Methods that no other beats in recall and in cost, the cheapest first. */
function bestFor(rows) {
  const sorted = [...rows].sort((a, b) => a.costTokens - b.costTokens || b[state.measure] - a[state.measure]);
  let best = -1;
  return sorted.filter((row) => {
    if (row[state.measure] <= best) return false;
    best = row[state.measure];
    return true;
  });
}

/** Points with their names, each where it hides no other point or name. */
function labelled(rows, x, y) {
  const taken = rows.map((row) => box(x(row.costTokens), y(row[state.measure]), 14, 0));
  return rows.flatMap((row) => {
    const [px, py] = [x(row.costTokens), y(row[state.measure])];
    const width = row.method.length * 7;
    const places = [0, -15, 15, -30, 30].flatMap((by) => [
      box(px + 11, py + by, width, 1),
      box(px - 11, py + by, width, -1),
    ]);
    const free = (place) =>
      place.from > PLOT.left && place.to < PLOT.width && !taken.some((other) => overlap(place, other));
    const place = places.find(free) ?? places[0];
    taken.push(place);
    return [
      shape('circle', { cx: px, cy: py, r: 6, fill: colourOf(row.method) }),
      shape('text', { class: 'name', x: place.from, y: place.y + 4 }, row.method),
    ];
  });
}

/** What a text of this width takes to the right of a place (1), to its left (-1), or around it (0). */
function box(x, y, width, side) {
  const from = side === 1 ? x : side === -1 ? x - width : x - width / 2;
  return { from, to: from + width, y };
}

function overlap(left, right) {
  return left.from < right.to && right.from < left.to && Math.abs(left.y - right.y) < 14;
}
