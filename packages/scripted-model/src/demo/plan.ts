import type { ScriptToolCall } from '../script.ts';
import { SM2_CORRECTION, STORE_CORRECTION, STORE_TEST_CORRECTION } from './app-files.ts';
import { bash, edit, glob, grep, read, write, writeReadme } from './calls.ts';
import { describeFailures, isPastHidden, recalledHandle } from './outcomes.ts';
import type { Seen } from './seen.ts';
import { DEMO_VERIFY_COMMAND } from './task.ts';

/** One point of the plan, as it stands in the todo list, and the steps that it takes. */
export interface PlanItem {
  todo: string;
  steps: readonly PlanStep[];
}

export interface PlanStep {
  /** Said before the calls; can speak of what the last results showed. */
  text: string | ((seen: Seen) => string);
  /** By its calls a step is found again in what can be seen: an earlier step of the item must not make all the calls of a later one. */
  calls: (seen: Seen) => readonly ScriptToolCall[];
  /** The step is meant to show a failure: a test that finds a defect, an edit that is refused. */
  mayFail?: true;
  /** Left out when false. */
  when?: (seen: Seen) => boolean;
}

const SM2_TESTS = 'node --test test/sm2.test.js';
const CLI_TESTS = 'node --test test/cli.test.js';
const STATS = 'node src/cli.js --db sample.db stats';
export const FINAL_TESTS = `rm -f sample.db && ${DEMO_VERIFY_COMMAND}`;

const SCAFFOLD: PlanItem = {
  todo: 'Package file and helpers for calendar days',
  steps: [
    {
      text: 'The folder is empty and Node is recent enough. I have my plan; I begin with the package file and the handling of days, which everything else needs.',
      calls: () => [write('package.json'), write('src/dates.js')],
    },
  ],
};

const SCHEDULING: PlanItem = {
  todo: 'SM-2 scheduling in src/sm2.js, with unit tests',
  steps: [
    {
      text: 'Now the scheduling, as pure functions of a card, an answer and a day.',
      calls: () => [write('src/sm2.js')],
    },
    {
      text: 'Its tests, with intervals and easiness factors worked out by hand from the published steps.',
      calls: () => [write('test/sm2.test.js')],
    },
    { text: 'I run them.', calls: () => [bash(SM2_TESTS)], mayFail: true },
    {
      text: (seen) =>
        `${describeFailures(seen, SM2_TESTS)} The intervals are one repetition late. I look for where the count is used.`,
      calls: () => [grep('repetitions', 'src'), read('src/sm2.js', 28, 20)],
    },
    {
      text: 'The interval is computed from the count before this answer; it must be the count after it.',
      calls: () => [edit({ path: 'src/sm2.js', draft: 'card.repetitions', final: 'repetitions' })],
      mayFail: true,
    },
    {
      text: 'That text stands in more than one place, and only one of them is wrong. I name the whole call, and run the tests again.',
      calls: () => [edit(SM2_CORRECTION), bash(SM2_TESTS)],
    },
  ],
};

const STORAGE: PlanItem = {
  todo: 'SQLite store for decks, cards and reviews, with tests',
  steps: [
    {
      text: 'The schedule is right. Next the store: one class around one SQLite file, with every change of a card and its review in one transaction.',
      calls: () => [write('src/store.js')],
    },
    {
      text: 'Its tests work on a real file in a temporary folder.',
      calls: () => [write('test/store.test.js')],
    },
    { text: 'I run them.', calls: () => [bash('node --test test/store.test.js')] },
  ],
};

const CSV: PlanItem = {
  todo: 'CSV reading and writing, with tests',
  steps: [
    {
      text: 'The store keeps what it is given. CSV is next; quoted fields may hold commas, quotes and line breaks, so I write a small real parser.',
      calls: () => [write('src/csv.js'), write('test/csv.test.js')],
    },
    { text: 'I run its tests.', calls: () => [bash('node --test test/csv.test.js')] },
  ],
};

const COMMAND_LINE: PlanItem = {
  todo: 'Command line with add, list, due, review, stats, import, export, remove',
  steps: [
    {
      text: 'The command line uses the store and the CSV functions. I read both again, so that I call them as they are.',
      calls: () => [read('src/store.js'), read('src/csv.js')],
    },
    { text: 'First what each command does.', calls: () => [write('src/commands.js')] },
    { text: 'Then the entry: arguments, help, exit codes.', calls: () => [write('src/cli.js')] },
    {
      text: 'I try it by hand before I test it.',
      calls: () => [
        bash(
          'node src/cli.js --help && node src/cli.js --db trial.db add Spanish "la mesa" "the table" && node src/cli.js --db trial.db list; rm -f trial.db',
        ),
      ],
    },
  ],
};

const END_TO_END: PlanItem = {
  todo: 'End-to-end tests through the real command line',
  steps: [
    {
      text: 'It answers. For the end-to-end tests I need the exact output of each command, so I read the file again.',
      calls: () => [read('src/commands.js')],
    },
    {
      text: 'Each test runs the program as its own process on its own database.',
      calls: () => [write('test/cli.test.js')],
    },
    { text: 'I run them.', calls: () => [bash(CLI_TESTS)], mayFail: true },
    {
      text: (seen) =>
        `${describeFailures(seen, CLI_TESTS)} A card that was just added is not listed as due. I look at how due cards are selected.`,
      calls: () => [grep('due <', 'src'), read('src/store.js', 60, 45)],
    },
    {
      text: 'The query leaves out the day itself: it must be "on or before". The unit tests did not see it, so I add one there.',
      calls: () => [edit(STORE_CORRECTION), edit(STORE_TEST_CORRECTION), bash(CLI_TESTS)],
    },
    {
      text: 'The command line is right now. The unit tests, the new one among them:',
      calls: () => [bash('node --test test/sm2.test.js test/csv.test.js test/store.test.js')],
    },
  ],
};

const SAMPLE_DECK: PlanItem = {
  todo: 'Sample deck of 200 cards, imported and reviewed',
  steps: [
    {
      text: 'The whole program is covered. Now a deck worth having: the times tables from 11 × 11 to 30 × 20 are exactly 200 cards.',
      calls: () => [write('scripts/make-sample-deck.js')],
    },
    {
      text: 'I make the deck.',
      calls: () => [
        bash(
          'mkdir -p samples && node scripts/make-sample-deck.js > samples/times-tables.csv && wc -l samples/times-tables.csv',
        ),
      ],
    },
    { text: 'A look at what came out.', calls: () => [read('samples/times-tables.csv', 1, 60)] },
    {
      text: 'I import it twice: the second time must add nothing.',
      calls: () => [
        bash(
          'rm -f sample.db; for i in 1 2; do node src/cli.js --db sample.db import samples/times-tables.csv; done; node src/cli.js --db sample.db due | tail -n 25',
        ),
      ],
    },
    {
      text: 'A short sitting, with the answers typed as a user would.',
      calls: () => [
        bash("printf '\\n5\\n\\n4\\n\\n2\\n\\nq\\n' | node src/cli.js --db sample.db review 'Times tables'"),
      ],
    },
    { text: 'And the statistics.', calls: () => [bash(STATS)] },
  ],
};

const README: PlanItem = {
  todo: 'README for a newcomer',
  steps: [
    {
      text: 'Import, review and statistics work on 200 cards. Before I write the README I read the help text and the example script again, so that it says nothing the program does not do.',
      calls: () => [read('src/cli.js'), read('scripts/make-sample-deck.js')],
    },
    { text: 'Now the README, with the conventions that the task set.', calls: (seen) => [writeReadme(seen)] },
  ],
};

const FINAL_CHECK: PlanItem = {
  todo: 'Check every rule of the task, run all tests',
  steps: [
    {
      text: 'Last, the check against the task. I read the scheduling and the store as they stand now.',
      calls: () => [read('src/sm2.js'), read('src/store.js')],
    },
    {
      text: 'Both are as the task asks. Do the tests cover it, the command line included?',
      calls: () => [read('test/sm2.test.js'), read('test/cli.test.js')],
    },
    {
      text: 'They do. Every import must be a part of Node or a file of this folder.',
      calls: () => [grep("from '", '.'), glob('**/*.js')],
    },
    {
      text: 'The output of the first failing test run is out of my sight by now; I want its exact figures for my report.',
      calls: () => [{ name: 'recall', arguments: { query: 'AssertionError intervals' } }],
      when: isPastHidden,
    },
    {
      text: 'I open the first of these.',
      calls: (seen) => [{ name: 'recall', arguments: { handle: recalledHandle(seen) ?? '', lines: 60 } }],
      when: (seen) => recalledHandle(seen) !== undefined,
    },
    {
      text: 'The trial database was only mine; I remove it and run everything.',
      calls: () => [bash(FINAL_TESTS)],
    },
  ],
};

export const PLAN: readonly PlanItem[] = [
  SCAFFOLD,
  SCHEDULING,
  STORAGE,
  CSV,
  COMMAND_LINE,
  END_TO_END,
  SAMPLE_DECK,
  README,
  FINAL_CHECK,
];

/** Before there is a plan: one look around. */
export const LOOK_AROUND: PlanStep = {
  text: 'I look at the folder and at the version of Node before I plan.',
  calls: () => [{ name: 'list', arguments: {} }, bash('node --version')],
};
