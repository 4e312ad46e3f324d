import { expect, it } from 'vitest';
import { fillPercent } from './fill-percent.ts';

it('has no percent of a window that is empty or not known', () => {
  expect([fillPercent(12_000, 24_000), fillPercent(1, 0), fillPercent(1, undefined)]).toEqual([
    50,
    undefined,
    undefined,
  ]);
});
