// The page's own program. It runs in a browser, reads the data in the page, and loads nothing.

const data = JSON.parse(document.getElementById('data').textContent);
const COLOURS = [
  '#0b6e99',
  '#d1602a',
  '#3a8f4d',
  '#8a4fbf',
  '#b08b00',
  '#c2356b',
  '#5b6b7a',
  '#00897b',
  '#7a5c3e',
  '#4059c9',
];
const colourOf = (method) => COLOURS[data.methods.indexOf(method) % COLOURS.length];

const state = {
  window: 0,
  measure: 'farRecall',
  session: 0,
  step: 0,
  hidden: new Set(hiddenAtFirst()),
};

/** Many lines hide each other: the engine's strategies and one simple method are enough to begin with. */
function hiddenAtFirst() {
  const engine = data.methods.filter((method) => !data.baselines.includes(method));
  const shown = [
    ...engine.slice(0, 4),
    ...data.baselines.filter((method) => method !== 'everything').slice(0, engine.length < 3 ? 1 : 0),
  ];
  return data.methods.filter((method) => !shown.includes(method));
}

const MEASURES = { farRecall: 'far recall', groundedRecall: 'grounded recall', recall: 'recall' };

/** An element with attributes, listeners (`onclick`) and children; text is never read as HTML. */
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  apply(node, attributes, children);
  return node;
}

function shape(tag, attributes = {}, ...children) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  apply(node, attributes, children);
  return node;
}

function apply(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) node.addEventListener(name.slice(2), value);
    else if (value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children.filter((child) => child !== undefined));
}

const percent = (share) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);

function tokens(count) {
  if (count < 1000) return String(Math.round(count));
  const [size, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${Number(size.toFixed(unit === 'M' ? 2 : size < 10 ? 1 : 0))}${unit}`;
}

function change(next) {
  Object.assign(state, next);
  draw();
}

function draw() {
  const scroll = window.scrollY;
  document
    .getElementById('page')
    .replaceChildren(
      ...[header(), totals(), frontier(), sessionSection(), stepSection(), problems()].filter(Boolean),
    );
  window.scrollTo(0, scroll);
}

function header() {
  const steps = data.sessions.reduce((sum, session) => sum + session.steps, 0);
  const more = data.untraced > 0 ? ` The steps of ${data.untraced} more are left out.` : '';
  return element(
    'header',
    {},
    element('h1', {}, 'Longhaul replay'),
    element(
      'p',
      {},
      `Sessions: ${data.sessions.length}. Steps: ${steps}. Each was replayed in every strategy, step by step.${more}`,
    ),
    element('div', { class: 'bar' }, 'Window', ...data.windows.map(windowButton)),
  );
}

function windowButton({ tokens: size }, index) {
  const attributes = { 'aria-pressed': index === state.window, onclick: () => change({ window: index }) };
  return element('button', attributes, tokens(size));
}

const COLUMNS = [
  ['far recall', (row) => row.farRecall, percent, 1],
  ['grounded', (row) => row.groundedRecall, percent, 1],
  ['recall', (row) => row.recall, percent, 1],
  ['mean far recall', (row) => row.meanFarRecall, percent, 1],
  ['overflows', (row) => row.overflows, String, -1],
  ['sent', (row) => row.sentTokens, tokens, 0],
  ['cost', (row) => row.costTokens, tokens, -1],
  ['compactions', (row) => row.compactions, String, 0],
];

function totals() {
  const rows = data.windows[state.window].totals;
  const ranked = rows.filter((row) => row.method !== 'everything');
  const best = COLUMNS.map(([, value, , sign]) =>
    Math.max(...ranked.map((row) => sign * (value(row) ?? -sign * 1e15))),
  );
  const cell = (row, [, value, format, sign], index) => {
    const shown = value(row);
    const isBest = sign !== 0 && ranked.length > 1 && ranked.includes(row) && sign * shown === best[index];
    return element('td', { class: isBest ? 'best' : undefined }, format(shown));
  };
  return element(
    'section',
    {},
    element('h2', {}, 'All sessions together'),
    element(
      'p',
      {},
      'Far recall: of the names a step used in its tool calls that it had last seen more than 20,000 tokens before, the share that stood in its view. Grounded: beside the file they came from. Cost: what the view before has in common counts a tenth.',
    ),
    scrolled(
      element('tr', {}, element('th', {}, 'method'), ...COLUMNS.map(([name]) => element('th', {}, name))),
      rows.map((row) =>
        element(
          'tr',
          {},
          element('td', {}, swatch(row.method), row.method),
          ...COLUMNS.map((column, index) => cell(row, column, index)),
        ),
      ),
    ),
  );
}

function scrolled(head, rows, className) {
  return element(
    'div',
    { class: 'scroll' },
    element('table', { class: className }, element('thead', {}, head), element('tbody', {}, ...rows)),
  );
}

function swatch(method) {
  return element('span', { class: 'swatch', style: `background:${colourOf(method)}` });
}

const PLOT = { width: 1060, height: 340, left: 56, right: 20, top: 14, bottom: 40 };

function scale(max, from, to) {
  return (value) => from + ((to - from) * value) / (max || 1);
}

function axes({ x, y, xTicks, yTicks, xName, yName }) {
  const { width, height, left, right, bottom } = PLOT;
  return [
    ...yTicks.flatMap(([value, name]) => [
      shape('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      shape('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, name),
    ]),
    ...xTicks.map(([value, name]) =>
      shape('text', { x: x(value), y: height - bottom + 18, 'text-anchor': 'middle' }, name),
    ),
    shape('text', { x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle' }, xName),
    shape('text', { x: left, y: 4, 'text-anchor': 'start' }, yName),
  ];
}

function ticks(max, count, format) {
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const size = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const found = [];
  for (let value = 0; value <= max; value += size) found.push([value, format(value)]);
  return found;
}

function frontier() {
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

const sessionNow = () => data.sessions[state.session];
function chooseSession(session) {
  state.session = session;
  change({ step: worstStep() });
}

const runsNow = () => {
  const size = data.windows[state.window].tokens;
  return sessionNow().runs.filter((run) => run.windowTokens === size && run.trace !== undefined);
};

function sessionSection() {
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
  const about = `${session.steps} steps, ${tokens(session.tokens)} tokens in all.`;
  const body =
    runs.length === 0
      ? [element('p', {}, 'This session fits into the window whole; there is nothing to compact.')]
      : [legend(runs), stepsChart(session, runs), sessionTable(runs)];
  return element(
    'section',
    {},
    element('h2', {}, 'Tokens over the steps of a session'),
    element(
      'p',
      {},
      `${about} Dots: the prefix was rewritten by a compaction or by pruning. Click a step to see what it needed.`,
    ),
    element('div', { class: 'bar' }, select),
    ...body,
  );
}

function legend(runs) {
  const toggle = (method) => {
    if (!state.hidden.delete(method)) state.hidden.add(method);
    draw();
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
  const { width, height, left, right, top, bottom } = PLOT;
  const { tokens: size, usableTokens } = data.windows[state.window];
  const shown = runs.filter((run) => !state.hidden.has(run.method));
  const most = Math.max(size, ...shown.flatMap((run) => run.trace.tokens));
  const x = scale(Math.max(1, session.steps - 1), left, width - right);
  const y = scale(most * 1.05, height - bottom, top);
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    change({
      step: Math.max(
        0,
        Math.min(
          session.steps - 1,
          Math.round(((event.clientX - box.left) / box.width) * (session.steps - 1)),
        ),
      ),
    });
  };
  return shape(
    'svg',
    { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': 'tokens over steps' },
    ...axes({
      x,
      y,
      xTicks: ticks(session.steps - 1, 8, String),
      yTicks: ticks(most, 5, tokens),
      xName: 'step',
      yName: 'tokens of the view',
    }),
    shape('line', { class: 'limit', x1: left, x2: width - right, y1: y(usableTokens), y2: y(usableTokens) }),
    shape(
      'text',
      { x: width - right, y: y(usableTokens) - 5, 'text-anchor': 'end' },
      'window less the output reserve',
    ),
    ...shown.flatMap((run) => runLine(run, x, y)),
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

function stepSection() {
  if (data.sessions.length === 0) return undefined;
  const runs = runsNow();
  if (runs.length === 0) return undefined;
  const session = sessionNow();
  const slider = element('input', {
    type: 'range',
    min: 0,
    max: session.steps - 1,
    value: state.step,
    'aria-label': 'step',
    onchange: (event) => change({ step: Number(event.target.value) }),
  });
  const move = (by) => change({ step: Math.max(0, Math.min(session.steps - 1, state.step + by)) });
  return element(
    'section',
    {},
    element('h2', {}, `Step ${state.step}: what it needed, and what was missing`),
    element(
      'div',
      { class: 'bar' },
      element('button', { onclick: () => move(-1) }, '‹'),
      slider,
      element('button', { onclick: () => move(1) }, '›'),
      worstButton(session, runs),
    ),
    factsTable(session, runs),
  );
}

/** Goes on to the next step at which a shown method missed a far fact. */
function worstButton(session, runs) {
  const shown = runs.filter((run) => !state.hidden.has(run.method));
  const lost = new Set(
    shown.flatMap((run) =>
      run.trace.missing
        .filter(([step, facts]) => facts.some((fact) => session.needs[step][1].includes(fact)))
        .map(([step]) => step),
    ),
  );
  const order = [...lost].sort((a, b) => a - b);
  const next = order.find((step) => step > state.step) ?? order[0];
  return element(
    'button',
    { disabled: next === undefined ? '' : undefined, onclick: () => change({ step: next }) },
    'next step that missed a far fact',
  );
}

function factsTable(session, runs) {
  const [near, far] = session.needs[state.step];
  const shown = runs.filter((run) => !state.hidden.has(run.method));
  if (near.length + far.length === 0)
    return element('p', {}, 'Its calls name nothing that had been seen before.');
  const missing = shown.map(
    (run) => new Set(run.trace.missing.find(([step]) => step === state.step)?.[1] ?? []),
  );
  const mark = (fact) => (lost) =>
    element('td', { class: lost.has(fact) ? 'missing' : 'seen' }, lost.has(fact) ? '✗' : '✓');
  const row = (distance) => (fact) =>
    element(
      'tr',
      {},
      element('td', {}, session.facts[fact]),
      element('td', {}, distance),
      ...missing.map(mark(fact)),
    );
  return scrolled(
    element(
      'tr',
      {},
      element('th', {}, 'fact'),
      element('th', {}, 'distance'),
      ...shown.map(({ method }) => element('th', {}, method)),
    ),
    [...far.map(row('far')), ...near.map(row('near'))],
    'facts',
  );
}

function problems() {
  if (data.problems.length === 0) return undefined;
  const shown = data.problems
    .slice(0, 50)
    .map(({ path, message }) => element('li', {}, `${path}: ${message}`));
  return element(
    'section',
    {},
    element('h2', {}, `Files that could not be replayed: ${data.problems.length}`),
    element('ul', {}, ...shown),
  );
}

/** The first step worth a look: the one at which the first method missed most far facts. */
function worstStep() {
  const run = data.sessions.length === 0 ? undefined : runsNow()[0];
  const missed = (run?.trace.missing ?? []).map(([step, facts]) => [
    step,
    facts.filter((fact) => sessionNow().needs[step][1].includes(fact)).length,
  ]);
  return missed.sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

state.step = worstStep();
draw();
