import { testCounts } from './outcomes.ts';
import { FINAL_TESTS } from './plan.ts';
import { commandResult, type Seen } from './seen.ts';
import { STANDING_RULES } from './task.ts';

/**
 * Returns the report to the user: the result, the counts of the last test run, and the standing instructions that were
 * still visible.
 */
export function finalAnswer(seen: Seen): string {
  const counts = testCounts(commandResult(seen, FINAL_TESTS) ?? '');
  if (counts === undefined || counts.failed > 0) return unfinished(counts?.failed);
  return [
    `The flashcard application is built, and all ${counts.passed} tests pass.`,
    BUILT,
    rulesLine(seen),
    `The tests found two defects in my first versions, and I fixed both. The interval was computed from the count of repetitions before the answer${firstFigures(seen)}. A card was not due on its own day; a unit test covers this now, in addition to the test of the command line.`,
    'To try it: `node src/cli.js --db sample.db import samples/times-tables.csv`, then `node src/cli.js --db sample.db review`.',
  ].join('\n\n');
}

const BUILT = `- \`src/sm2.js\`: SM-2 as published, as pure functions; \`src/dates.js\`: ISO days
- \`src/store.js\`: decks, cards and reviews in SQLite, each review in one transaction
- \`src/cli.js\`, \`src/commands.js\`: add, list, due, review, stats, import, export, remove
- \`src/csv.js\`: CSV with quoted fields; \`scripts/make-sample-deck.js\` and \`samples/times-tables.csv\`: a deck of 200 cards, imported and reviewed once
- \`test/\`: units, the store on a real file, the whole program as its own process
- \`README.md\`: from the first card to scheduling`;

/** Returns the figures of the first failing run, if its output is still visible or was recalled. */
function firstFigures(seen: Seen): string {
  const outputs = seen.steps
    .flatMap((step) => step.calls)
    .filter(({ name }) => name === 'recall' || name === 'bash');
  for (const { result } of outputs) {
    const [, actual, expected] = /actual: \[ ([\d, ]+) \],\s+expected: \[ ([\d, ]+) \]/.exec(result) ?? [];
    if (actual !== undefined && expected !== undefined) return ` (${actual} days instead of ${expected})`;
  }
  return '';
}

function rulesLine(seen: Seen): string {
  const [kept, lost] = [true, false].map((inSight) =>
    STANDING_RULES.filter((rule) => rule.inSight.test(seen.prose) === inSight).map((rule) => rule.name),
  );
  const held = `I followed your standing instructions: ${(kept ?? []).join(', ')}.`;
  return lost === undefined || lost.length === 0
    ? held
    : `${held} I can no longer see these, so please check them: ${lost.join(', ')}.`;
}

function unfinished(failed: number | undefined): string {
  const reason = failed === undefined ? 'the last test run did not finish' : `${failed} tests still fail`;
  return `The application is written, but it is not done: ${reason}.`;
}
