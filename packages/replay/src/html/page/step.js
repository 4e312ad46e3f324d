import { element, scrolled } from './dom.js';
import { change, data, runsNow, sessionNow, state } from './state.js';

export function stepSection() {
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
    element('h2', {}, `Step ${state.step}: facts it needed, and which were missing`),
    element(
      'div',
      { class: 'bar controls' },
      element('button', { onclick: () => move(-1) }, '‹'),
      slider,
      element('button', { onclick: () => move(1) }, '›'),
      worstButton(session, runs),
    ),
    factsTable(session, runs),
  );
}

/** Selects the next step at which a shown method missed a far fact; after the last one, the first. */
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
    return element('p', {}, 'Its calls use no name that had appeared before.');
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
