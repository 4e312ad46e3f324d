import type { ScriptToolCall } from '../script.ts';
import { SM2_CORRECTION, STORE_CORRECTION, STORE_TEST_CORRECTION } from './app-files.ts';
import { bash, edit, glob, grep, read, write, writeReadme } from './calls.ts';
import { describeFailures, isPastHidden, recalledHandle } from './outcomes.ts';
import type { Seen } from './seen.ts';
import { DEMO_VERIFY_COMMAND } from './task.ts';

/** One item of the plan, its text in the todo list, and its steps. */
export interface PlanItem {
  todo: string;
  steps: readonly PlanStep[];
}

export interface PlanStep {
  /** Text before the calls. It can depend on the last results. */
  text: string | ((seen: Seen) => string);
  /**
   * Calls of the step. They identify it in the messages, so no earlier step of the item may make all calls of a later
   * one.
   */
  calls: (seen: Seen) => readonly ScriptToolCall[];
  /** True if the step can fail by design: a test that finds a defect, or an edit that is refused. */
  mayFail?: true;
  /** Skips the step if it returns false. */
  when?: (seen: Seen) => boolean;
}

const SM2_TESTS = 'node --test test/sm2.test.js';
const CLI_TESTS = 'node --test test/cli.test.js';
const STATS = 'node src/cli.js --db sample.db stats';
export const FINAL_TESTS = `rm -f sample.db && ${DEMO_VERIFY_COMMAND}`;

export const SCAFFOLD: PlanItem = {
  todo: 'Package file and helpers for calendar days',
  steps: [
    {
      text: 'The folder is empty and Node is recent enough. I start with the package file and the functions for days, which everything else needs.',
      calls: () => [write('package.json'), write('src/dates.js')],
    },
  ],
};

export const SCHEDULING: PlanItem = {
  todo: 'SM-2 scheduling in src/sm2.js, with unit tests',
  steps: [
    {
      text: 'Next is the scheduling, as pure functions of a card, an answer and a day.',
      calls: () => [write('src/sm2.js')],
    },
    {
      text: 'These are its tests, with intervals and easiness factors computed by hand from the published steps.',
      calls: () => [write('test/sm2.test.js')],
    },
    { text: 'I run them.', calls: () => [bash(SM2_TESTS)], mayFail: true },
    {
      text: (seen) =>
        `${describeFailures(seen, SM2_TESTS)} The intervals are one repetition late. I search for the uses of the count.`,
      calls: () => [grep('repetitions', 'src'), read('src/sm2.js', 28, 20)],
    },
    {
      text: 'The interval is computed from the count before this answer; it must be the count after it.',
      calls: () => [edit({ path: 'src/sm2.js', draft: 'card.repetitions', final: 'repetitions' })],
      mayFail: true,
    },
    {
      text: 'That text occurs more than once, and only one occurrence is wrong. I replace the whole call, and run the tests again.',
      calls: () => [edit(SM2_CORRECTION), bash(SM2_TESTS)],
    },
  ],
};

export const STORAGE: PlanItem = {
  todo: 'SQLite store for decks, cards and reviews, with tests',
  steps: [
    {
      text: 'The schedule is correct. Next is the store: one class around one SQLite file, with every change of a card and its review in one transaction.',
      calls: () => [write('src/store.js')],
    },
    {
      text: 'Its tests use a real file in a temporary folder.',
      calls: () => [write('test/store.test.js')],
    },
    { text: 'I run them.', calls: () => [bash('node --test test/store.test.js')] },
  ],
};

export const CSV: PlanItem = {
  todo: 'CSV reading and writing, with tests',
  steps: [
    {
      text: 'The store works. CSV is next. Quoted fields can contain commas, quotes and line breaks, so I write a small parser.',
      calls: () => [write('src/csv.js'), write('test/csv.test.js')],
    },
    { text: 'I run its tests.', calls: () => [bash('node --test test/csv.test.js')] },
  ],
};

export const COMMAND_LINE: PlanItem = {
  todo: 'Command line with add, list, due, review, stats, import, export, remove',
  steps: [
    {
      text: 'The command line uses the store and the CSV functions. I read both again to call them correctly.',
      calls: () => [read('src/store.js'), read('src/csv.js')],
    },
    { text: 'I start with the commands.', calls: () => [write('src/commands.js')] },
    { text: 'Now the entry point: arguments, help, exit codes.', calls: () => [write('src/cli.js')] },
    {
      text: 'I try it by hand before I write tests.',
      calls: () => [
        bash(
          'node src/cli.js --help && node src/cli.js --db trial.db add Spanish "la mesa" "the table" && node src/cli.js --db trial.db list; rm -f trial.db',
        ),
      ],
    },
  ],
};

export const END_TO_END: PlanItem = {
  todo: 'End-to-end tests through the real command line',
  steps: [
    {
      text: 'It works. For the end-to-end tests I need the exact output of each command, so I read the file again.',
      calls: () => [read('src/commands.js')],
    },
    {
      text: 'Each test runs the program in its own process with its own database.',
      calls: () => [write('test/cli.test.js')],
    },
    { text: 'I run them.', calls: () => [bash(CLI_TESTS)], mayFail: true },
    {
      text: (seen) =>
        `${describeFailures(seen, CLI_TESTS)} A card that was just added is not listed as due. I look at the query for due cards.`,
      calls: () => [grep('due <', 'src'), read('src/store.js', 60, 45)],
    },
    {
      text: 'The query excludes the day itself; it must be "on or before". The unit tests did not find this, so I add one.',
      calls: () => [edit(STORE_CORRECTION), edit(STORE_TEST_CORRECTION), bash(CLI_TESTS)],
    },
    {
      text: 'The command line is correct now. I run the unit tests, including the new one.',
      calls: () => [bash('node --test test/sm2.test.js test/csv.test.js test/store.test.js')],
    },
  ],
};

export const SAMPLE_DECK: PlanItem = {
  todo: 'Sample deck of 200 cards, imported and reviewed',
  steps: [
    {
      text: 'The tests cover the whole program. Next is the sample deck: the times tables from 11 × 11 to 30 × 20 are exactly 200 cards.',
      calls: () => [write('scripts/make-sample-deck.js')],
    },
    {
      text: 'I generate the deck.',
      calls: () => [
        bash(
          'mkdir -p samples && node scripts/make-sample-deck.js > samples/times-tables.csv && wc -l samples/times-tables.csv',
        ),
      ],
    },
    { text: 'I look at the result.', calls: () => [read('samples/times-tables.csv', 1, 60)] },
    {
      text: 'I import it twice. The second import must add nothing.',
      calls: () => [
        bash(
          'rm -f sample.db; for i in 1 2; do node src/cli.js --db sample.db import samples/times-tables.csv; done; node src/cli.js --db sample.db due | tail -n 25',
        ),
      ],
    },
    {
      text: 'I run a short review session with typed answers.',
      calls: () => [
        bash("printf '\\n5\\n\\n4\\n\\n2\\n\\nq\\n' | node src/cli.js --db sample.db review 'Times tables'"),
      ],
    },
    { text: 'I check the statistics.', calls: () => [bash(STATS)] },
  ],
};

export const README: PlanItem = {
  todo: 'README for a newcomer',
  steps: [
    {
      text: 'Import, review and statistics work with 200 cards. Before I write the README, I read the help text and the sample script again, so that the README matches the program.',
      calls: () => [read('src/cli.js'), read('scripts/make-sample-deck.js')],
    },
    {
      text: 'Now I write the README, with the conventions from the task.',
      calls: (seen) => [writeReadme(seen)],
    },
  ],
};

export const FINAL_CHECK: PlanItem = {
  todo: 'Check every rule of the task, run all tests',
  steps: [
    {
      text: 'The last item is the check against the task. I read the current scheduling and store.',
      calls: () => [read('src/sm2.js'), read('src/store.js')],
    },
    {
      text: 'Both match the task. I check that the tests cover them, including the command line.',
      calls: () => [read('test/sm2.test.js'), read('test/cli.test.js')],
    },
    {
      text: 'They do. Every import must be from Node or from this folder.',
      calls: () => [grep("from '", '.'), glob('**/*.js')],
    },
    {
      text: 'I can no longer see the output of the first failing test run. I need its exact figures for my report.',
      calls: () => [{ name: 'recall', arguments: { query: 'AssertionError intervals' } }],
      when: isPastHidden,
    },
    {
      text: 'I open the first result.',
      calls: (seen) => [{ name: 'recall', arguments: { handle: recalledHandle(seen) ?? '', lines: 60 } }],
      when: (seen) => recalledHandle(seen) !== undefined,
    },
    {
      text: 'I remove my sample database and run all tests.',
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

/** The first step, before the plan exists. */
export const LOOK_AROUND: PlanStep = {
  text: 'I look at the folder and the version of Node before I plan.',
  calls: () => [{ name: 'list', arguments: {} }, bash('node --version')],
};
