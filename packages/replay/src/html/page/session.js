import { ticksFromZero } from './axis.js';
import { axes, chart, plotSize, scales } from './chart.js';
import { element, scrolled, shape, swatch } from './dom.js';
import { percent, tokens } from './format.js';
import { change, chooseSession, colourOf, data, runsNow, sessionNow, state } from './state.js';

export function sessionSection() {
  if (data.sessions.length === 0) return undefined;
  const session = sessionNow();
  const runs = runsNow();
  const select = element(
    'select',
    {
      'aria-label': 'session',
      onchange: (event) => chooseSession(Number(event.target.value)),
    },
    ...data.sessions.map(({ name }, index) =>
      element('option', { value: index, selected: index === state.session ? '' : undefined }, name),
    ),
  );
  const about = `${session.steps} steps, ${tokens(session.tokens)} tokens.`;
  const body =
    runs.length === 0
      ? [element('p', {}, 'The whole session fits into the window, so there is nothing to compact.')]
      : [legend(runs), stepsChart(session, runs), sessionTable(runs)];
  return element(
    'section',
    {},
    element('h2', {}, 'Tokens over the steps of a session'),
    element(
      'p',
      {},
      `${about} A dot is a step before which a compaction or a pruning changed earlier messages. The dashed line is the usable window: the window minus the output reserve. Select a step in the chart to see the facts it needed.`,
    ),
    element('div', { class: 'bar' }, select),
    ...body,
  );
}

function legend(runs) {
  const toggle = (method) => {
    if (!state.hidden.delete(method)) state.hidden.add(method);
    change({});
  };
  return element(
    'div',
    { class: 'bar legend' },
    ...runs.map(({ method }) =>
      element(
        'button',
        { 'aria-pressed': !state.hidden.has(method), onclick: () => toggle(method) },
        swatch(method),
        method,
      ),
    ),
  );
}

function stepsChart(session, runs) {
  const size = plotSize();
  const { width, height, left, right, top, bottom } = size;
  const { tokens: windowTokens, usableTokens } = data.windows[state.window];
  const shown = runs.filter((run) => !state.hidden.has(run.method));
  const most = Math.max(windowTokens, ...shown.flatMap((run) => run.trace.tokens));
  const lastStep = session.steps - 1;
  const { x, y } = scales(size, { x: { from: 0, to: Math.max(1, lastStep) }, y: { from: 0, to: most } });
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const step = Math.round(((event.clientX - box.left) / box.width) * lastStep);
    change({ step: Math.max(0, Math.min(lastStep, step)) });
  };
  return chart(
    size,
    'tokens over steps',
    ...axes(size, {
      x,
      y,
      xTicks: ticksFromZero(lastStep, width / 130).map((step) => [step, String(step)]),
      yTicks: ticksFromZero(most, 5).map((count) => [count, tokens(count)]),
      xName: 'step',
      yName: 'tokens of the view',
    }),
    shape('line', { class: 'limit', x1: left, x2: width - right, y1: y(usableTokens), y2: y(usableTokens) }),
    ...shown.flatMap((run) => runLine(run, x, y)),
    shape(
      'text',
      { x: width - right, y: y(usableTokens) - 5, 'text-anchor': 'end' },
      `usable: ${tokens(usableTokens)}`,
    ),
    shape('line', { class: 'cursor', x1: x(state.step), x2: x(state.step), y1: top, y2: height - bottom }),
    shape('rect', {
      class: 'plane',
      x: left,
      y: top,
      width: width - left - right,
      height: height - top - bottom,
      onclick: pick,
    }),
  );
}

function runLine({ method, trace }, x, y) {
  const points = trace.tokens.map((count, step) => `${x(step).toFixed(1)},${y(count).toFixed(1)}`).join(' ');
  return [
    shape('polyline', {
      points,
      fill: 'none',
      stroke: colourOf(method),
      'stroke-width': 1.5,
      'stroke-linejoin': 'round',
    }),
    ...trace.rewritten.map((step) =>
      shape('circle', {
        cx: x(step).toFixed(1),
        cy: y(trace.tokens[step]).toFixed(1),
        r: 2.6,
        fill: colourOf(method),
      }),
    ),
  ];
}

function sessionTable(runs) {
  const share = (part, whole) => percent(whole === 0 ? null : part / whole);
  return scrolled(
    element(
      'tr',
      {},
      ...['method', 'far recall', 'grounded', 'recall', 'overflows', 'cost', 'compactions'].map((name) =>
        element('th', {}, name),
      ),
    ),
    runs.map(({ method, tally }) =>
      element(
        'tr',
        {},
        element('td', {}, swatch(method), method),
        ...[
          share(tally.farSeen, tally.far),
          share(tally.farGrounded, tally.far),
          share(tally.neededSeen, tally.needed),
          tally.overflows,
          tokens(tally.costTokens),
          tally.compactions,
        ].map((value) => element('td', {}, String(value))),
      ),
    ),
  );
}
