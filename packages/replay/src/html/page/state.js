// The page's program runs in a browser, reads the data in the page, and loads nothing.

export const data = JSON.parse(document.getElementById('data').textContent);

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
  '#6d9b1f',
  '#9c4a3c',
];

export const colourOf = (method) => COLOURS[data.methods.indexOf(method) % COLOURS.length];

export const MEASURES = { farRecall: 'far recall', groundedRecall: 'grounded recall', recall: 'recall' };

export const state = {
  window: 0,
  measure: 'farRecall',
  session: 0,
  step: 0,
  hidden: new Set(hiddenAtFirst()),
  /** In pixels. */
  chartWidth: 1040,
};

/**
 * Many lines hide each other. The first four strategies are shown at first, and one simple method if there are fewer
 * than three.
 */
function hiddenAtFirst() {
  const engine = data.methods.filter((method) => !data.baselines.includes(method));
  const shown = [
    ...engine.slice(0, 4),
    ...data.baselines.filter((method) => method !== 'everything').slice(0, engine.length < 3 ? 1 : 0),
  ];
  return data.methods.filter((method) => !shown.includes(method));
}

export const sessionNow = () => data.sessions[state.session];

export const runsNow = () => {
  const size = data.windows[state.window].tokens;
  return sessionNow().runs.filter((run) => run.windowTokens === size && run.trace !== undefined);
};

/** The step at which the first method missed the most far facts. */
export function worstStep() {
  const run = data.sessions.length === 0 ? undefined : runsNow()[0];
  const missed = (run?.trace.missing ?? []).map(([step, facts]) => [
    step,
    facts.filter((fact) => sessionNow().needs[step][1].includes(fact)).length,
  ]);
  return missed.sort(([, a], [, b]) => b - a)[0]?.[0] ?? 0;
}

/** Changes the state and redraws the page. */
export function change(next) {
  Object.assign(state, next);
  document.dispatchEvent(new Event('change-of-state'));
}

export function chooseSession(session) {
  state.session = session;
  change({ step: worstStep() });
}
