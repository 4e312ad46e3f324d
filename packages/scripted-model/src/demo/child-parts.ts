import { read, task } from './calls.ts';
import { testCounts } from './outcomes.ts';
import { CSV, FINAL_CHECK, type PlanItem, type PlanStep, SAMPLE_DECK, STORAGE } from './plan.ts';
import { callsOf, commandResult, type Seen } from './seen.ts';

/** A part of the application that a child session makes. */
export interface ChildPart extends PlanItem {
  agent: 'general' | 'explore';
  /** The child sees nothing else of the task. */
  prompt: string;
  report: (seen: Seen) => string;
}

/** The first line of every prompt. The task itself has another one. */
const FIRST_LINE = 'You make one part of a flashcard application for the command line';
const RULES = 'Plain JavaScript for Node 24, no dependencies. Write no other files.';

/** Whether a request is that of a child. After a compaction, the parent's can quote prompts, but has the task, too. */
export function isChildPrompt(prose: string): boolean {
  return prose.includes(FIRST_LINE) && !prose.includes('Build a flashcard application');
}

const STORE_PART: ChildPart = {
  todo: 'the store',
  agent: 'general',
  prompt: `${FIRST_LINE}: its store. Write src/store.js, a class Store around one SQLite file with decks, cards and reviews; a review changes the card and adds its row in one transaction. The schedule is in src/sm2.js. Card ids are short hex strings, dates are ISO days. Test it on a real file in test/store.test.js. ${RULES} Answer with the methods of Store, and the result of the tests.`,
  steps: [
    {
      text: 'I read the schedule that the store uses.',
      calls: () => [read('src/sm2.js'), read('src/dates.js')],
    },
    ...saying(STORAGE.steps, 'Now the store: one class around one SQLite file.'),
  ],
  report: (seen) =>
    `src/store.js: \`new Store(path)\` with addCard, addCards, card, cards, dueCards, review, removeCard, stats and close. A review and its card change in one transaction. ${passed(seen, 'node --test test/store.test.js')}`,
};

const CSV_PART: ChildPart = {
  todo: 'CSV',
  agent: 'general',
  prompt: `${FIRST_LINE}: reading and writing CSV. Write src/csv.js with parseCsv, parseRecords and formatCsv; quoted fields can contain commas, quotes and line breaks. Test it in test/csv.test.js. ${RULES} Answer with the functions, and the result of the tests.`,
  steps: saying(
    CSV.steps,
    'Quoted fields can contain commas, quotes and line breaks, so I write a small parser.',
  ),
  report: (seen) =>
    `src/csv.js exports parseCsv(text) for rows, parseRecords(text) for objects by the header, and formatCsv(rows). ${passed(seen, 'node --test test/csv.test.js')}`,
};

const DECK_PART: ChildPart = {
  todo: 'the sample deck',
  agent: 'general',
  prompt: `${FIRST_LINE}: its sample deck. Write scripts/make-sample-deck.js, which prints a CSV with the columns deck, front and back and exactly 200 cards, and generate samples/times-tables.csv with it. ${RULES} Answer with the size of the deck and its first card.`,
  steps: saying(
    SAMPLE_DECK.steps.slice(0, 3),
    'The times tables from 11 × 11 to 30 × 20 are exactly 200 cards.',
  ),
  report: () =>
    'scripts/make-sample-deck.js prints the times tables from 11 × 11 to 30 × 20, and samples/times-tables.csv has them: a header and 200 cards of the deck "Times tables".',
};

/** The three parts that are made at once. None needs a file of another. */
export const BUILT_AT_ONCE = [STORE_PART, CSV_PART, DECK_PART] as const;

/** Reads the whole application, and answers in two lines. */
export const CHECK_PART: ChildPart = {
  todo: 'the check',
  agent: 'explore',
  prompt: `${FIRST_LINE}: its check before it is finished. Change nothing. Read src and test. Is the factor of SM-2 never below 1.3, and does an answer below 3 start the card again? Is a card due on its own day? Do the tests cover both, and the command line? Is every import from Node or from this folder? Answer each question in one line.`,
  steps: saying(FINAL_CHECK.steps.slice(0, 3), 'I read the current scheduling and store.'),
  report: (seen) =>
    [
      `The factor is never below 1.3: ${shows(seen, 'src/sm2.js', 'MINIMUM_EASINESS')}`,
      `An answer below 3 starts the card again: ${shows(seen, 'src/sm2.js', 'PASSING_QUALITY')}`,
      `A card is due on its own day: ${shows(seen, 'src/store.js', 'due <= ?')}`,
      `The tests cover the command line: ${shows(seen, 'test/cli.test.js', 'spawnSync')}`,
      `Only imports from Node or this folder: ${importsOf(seen)}`,
    ].join('\n'),
};

export const PARTS: readonly ChildPart[] = [...BUILT_AT_ONCE, CHECK_PART];

/** The call that gives a part to a child. */
export function callFor({ agent, prompt }: ChildPart) {
  return task(agent, prompt);
}

/** The same steps with another first text. */
function saying([first, ...rest]: readonly PlanStep[], text: string): PlanStep[] {
  return first === undefined ? [] : [{ ...first, text }, ...rest];
}

function passed(seen: Seen, command: string): string {
  const counts = testCounts(commandResult(seen, command) ?? '');
  return counts === undefined
    ? 'I no longer see the tests.'
    : `${counts.passed} tests pass, ${counts.failed} fail.`;
}

/** Answers a question by a text in a file. */
function shows(seen: Seen, path: string, text: string): string {
  const file = callsOf(seen, 'read').findLast(({ input }) => input['path'] === path)?.result ?? '';
  if (file === '') return `I no longer see ${path}.`;
  return file.includes(text) ? `yes, ${path} has \`${text}\`.` : `no, ${path} lacks \`${text}\`.`;
}

function importsOf(seen: Seen): string {
  const found = callsOf(seen, 'grep').at(-1)?.result ?? '';
  const from = [...found.matchAll(/from '([^']+)'/g)].map(([, source = '']) => source);
  if (from.length === 0) return 'I no longer see the search.';
  const others = from.filter((source) => !/^(?:node:|\.)/.test(source));
  return others.length === 0 ? 'yes.' : `no: ${others.join(', ')}.`;
}
