import assert from 'node:assert/strict';
import { it } from 'vitest';
import { lifeLine } from '../report.ts';
import { familySummaryOf } from './family-report.ts';
import { runFamilies } from './run-families.ts';
import { FAMILY_POINTS } from './torture-family.ts';

/** A sample: each fault point strikes at least once. `npm run torture -- --children` kills as often as its flag says. */
it('loses no result of a child and starts none twice when a family is killed at every fault point', {
  timeout: 1_800_000,
}, async () => {
  const lives: string[] = [];
  const result = await runFamilies({
    kills: 120,
    seed: 19,
    sessions: 2,
    isBrief: true,
    onLife: (family, outcome) => void lives.push(lifeLine(family, outcome, lives.length)),
  });
  const details = [...lives, ...result.defects.map(({ what }) => what), result.folder ?? ''].join('\n');
  assert.deepEqual(
    familySummaryOf(result),
    {
      kills: result.kills,
      lostResults: 0,
      deliveredTwice: 0,
      startedTwice: 0,
      orphans: 0,
      unknownOutcomes: 0,
      corruptions: 0,
      children: result.figures.children,
      completed: true,
    },
    details,
  );
  assert.deepEqual(new Set(result.struck.keys()), new Set(FAMILY_POINTS), details);
  assert.ok(result.figures.children > 0 && result.figures.delivered > 0, details);
});
