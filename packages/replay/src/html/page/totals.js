import { element, scrolled, swatch } from './dom.js';
import { percent, tokens } from './format.js';
import { change, data, state } from './state.js';

export function header() {
  const steps = data.sessions.reduce((sum, session) => sum + session.steps, 0);
  const more = data.untraced > 0 ? ` The steps of ${data.untraced} more sessions are not shown.` : '';
  return element(
    'header',
    {},
    element('h1', {}, 'Longhaul replay'),
    element(
      'p',
      {},
      `Sessions: ${data.sessions.length}. Steps: ${steps}. Every method replayed each session step by step.${more}`,
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

export function totals() {
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
      'A fact is a name or a path in the arguments of a call that appeared earlier in the session. A fact is far if it last appeared more than 20,000 tokens earlier. Far recall is the share of far facts in the view of their step. Grounded recall counts only those next to the file that they came from. Cost is the number of sent tokens: tokens at the start that are the same as in the view before count one tenth, and calls for summaries count in full.',
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

export function problems() {
  if (data.problems.length === 0) return undefined;
  const shown = data.problems
    .slice(0, 50)
    .map(({ path, message }) => element('li', {}, `${path}: ${message}`));
  return element(
    'section',
    {},
    element('h2', {}, `Files that cannot be replayed: ${data.problems.length}`),
    element('ul', {}, ...shown),
  );
}
