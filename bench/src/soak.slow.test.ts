import { expect, it } from 'vitest';
import { benchSoak } from './soak.ts';

it('keeps memory flat and the database small over 300 compactions', { timeout: 600_000 }, async () => {
  const { rows, summary } = await benchSoak({ compactions: 300 });
  expect(rows.map(({ values }) => values['compactions'])).toEqual([45, 300]);
  // The search index of a short session takes a larger share than that of a long one. At this window, the summaries take
  // 0.29 of the text.
  expect(summary['databaseToText']).toBeLessThan(2.6);
  const [early, late] = rows.map(({ values }) => Number(values['live MB']));
  expect(late).toBeLessThanOrEqual((early ?? 0) * 1.3);
});
