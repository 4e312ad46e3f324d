/** The task of the demonstration. Its standing instructions must survive every compaction. */
export const DEMO_TASK = `Build a flashcard application for the command line in this empty folder.

- Schedule reviews with SM-2 exactly as published: 1 day, 6 days, then the last interval times the easiness factor, rounded up; the factor never falls below 1.3; an answer below 3 starts the card again.
- Keep decks, cards and reviews in SQLite.
- Commands: add, list, due, review, stats, import and export as CSV, remove.
- Plain JavaScript for Node 24, no dependencies.
- Card ids are short hex strings; dates are ISO days such as 2026-03-01.
- Tests with node:test: units, and the whole program through its real command line on a temporary database.
- A README that a newcomer can follow, and a sample deck of 200 cards, imported once to show that it works.

Run all tests before you say that it is done.`;

/** The same task, with parts of it for child sessions. */
export const DEMO_TASK_WITH_CHILDREN = `${DEMO_TASK} Give the parts that do not depend on each other to agents of their own, three at once.`;

/** The application's own tests, which run in the workspace's sandbox after the agent has finished. */
export const DEMO_VERIFY_COMMAND = 'node --test';

/** A standing instruction of the task, and how the script detects that it can still see it. */
export interface StandingRule {
  name: string;
  inSight: RegExp;
  /** The line of the application's README, which is written only if the script can see the rule at that time. */
  readmeLine: string;
}

export const STANDING_RULES: readonly StandingRule[] = [
  {
    name: 'no dependencies',
    inSight: /no dependencies/i,
    readmeLine: '- No dependencies: only what Node.js brings.',
  },
  {
    name: 'short hex card ids',
    inSight: /short hex/i,
    readmeLine: '- Card ids are short hex strings, such as `9f03ac`.',
  },
  { name: 'ISO days', inSight: /ISO days/i, readmeLine: '- Dates are ISO days, such as 2026-03-01.' },
];
