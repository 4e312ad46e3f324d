import { fittedAxis } from './axis.js';
import { axes, chart, plotSize, scales } from './chart.js';
import { element, scrolled, shape } from './dom.js';
import { percent, percentTicks, tokens } from './format.js';
import { data } from './state.js';

/** What the recorded agents' own summaries kept, beside ours. */
export function against() {
  const { rows, points } = data.against;
  if (points.length === 0) return undefined;
  return element(
    'section',
    { class: 'whole' },
    element('h2', {}, 'Against the recorded compactions'),
    element(
      'p',
      {},
      'At each place at which the recorded agent compacted its context: the share of the names needed after it that its own text kept, and the share that our ledger keeps with the same number of tokens and no model. In the chart, a dot above the line is a compaction at which our ledger kept more.',
    ),
    scrolled(
      element(
        'tr',
        {},
        ...['agent', 'compactions', 'tokens', 'names needed', 'its summary', 'our ledger'].map((name) =>
          element('th', {}, name),
        ),
      ),
      rows.map((row) =>
        element(
          'tr',
          {},
          element('td', {}, row.format),
          ...[
            row.compactions,
            tokens(row.tokens / row.compactions),
            row.needed,
            percent(row.recordedSeen / row.needed),
            percent(row.ownSeen / row.needed),
          ].map((text) => element('td', {}, String(text))),
        ),
      ),
    ),
    againstChart(points),
  );
}

function againstChart(points) {
  const size = plotSize();
  const whole = { count: 5, minSpan: 1, min: 0, max: 1 };
  const axis = fittedAxis([0, 1], whole);
  const { x, y } = scales(size, { x: axis, y: axis });
  const ticks = percentTicks(axis);
  return chart(
    size,
    'our ledger against the recorded summaries',
    ...axes(size, {
      x,
      y,
      xTicks: ticks,
      yTicks: ticks,
      xName: 'kept by the recorded summary',
      yName: 'kept by our ledger',
    }),
    shape('line', { class: 'leader', x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    ...points.map(({ name, needed, recordedSeen, ownSeen }) =>
      shape(
        'circle',
        { class: 'dot', cx: x(recordedSeen / needed), cy: y(ownSeen / needed), r: 6, fill: '#0b6e99' },
        titleOf(`${name}: ${percent(recordedSeen / needed)} and ${percent(ownSeen / needed)} of ${needed}`),
      ),
    ),
  );
}

function titleOf(text) {
  return shape('title', {}, text);
}
