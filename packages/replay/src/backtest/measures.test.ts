import { expect, test } from 'vitest';
import { FactFinder } from './fact-finder.ts';
import { addTallies, ViewMeter } from './measures.ts';
import { type Segment, segmentOf } from './recorded-session.ts';
import type { Need } from './session-facts.ts';

const FACTS = [{ text: 'nearFact' }, { text: 'farFact' }, { text: 'fileFact', file: 'src/a.ts' }];
const near: Need = { fact: 0, isFar: false };
const far: Need = { fact: 1, isFar: true };
const fromFile: Need = { fact: 2, isFar: true };

function meterOf(needs: Need[][], usableTokens = 1_000): ViewMeter {
  return new ViewMeter({ finder: new FactFinder(FACTS), needs, usableTokens });
}

/** A token is four characters, and each event costs four more tokens. */
const segment = (tokens: number, start = ''): Segment =>
  segmentOf('user', start.padEnd((tokens - 4) * 4, '-'));

test('recall counts all needed facts, far recall the far ones, grounded recall those next to their file', () => {
  const meter = meterOf([[near, far, fromFile]]);
  expect(meter.measure([segmentOf('user', 'farFact and fileFact')]).missing).toEqual([0]);
  expect(meter.tally).toMatchObject({ needed: 3, neededSeen: 2, far: 2, farSeen: 2, farGrounded: 1 });
});

test('a fact is missing after the last segment that showed it is removed', () => {
  const meter = meterOf([[far], [far], [far]]);
  const [first, second] = [segmentOf('user', 'farFact'), segmentOf('user', 'farFact again')];
  meter.measure([first, second]);
  expect(meter.measure([second]).missing).toEqual([]);
  expect(meter.measure([segmentOf('user', 'else')]).missing).toEqual([1]);
});

test('a view overflows above the usable tokens, not at them', () => {
  const meter = meterOf([[], []], 100);
  meter.measure([segment(100)]);
  expect(meter.tally.overflows).toBe(0);
  meter.measure([segment(101)]);
  expect(meter.tally.overflows).toBe(1);
});

test('the prefix shared with the previous view costs a tenth; the rest and summary calls cost the full price', () => {
  const meter = meterOf([[], [], []]);
  const [a, b, c] = [segment(100, 'a'), segment(50, 'b'), segment(30, 'c')];
  meter.measure([a, b]);
  expect(meter.tally).toMatchObject({ sentTokens: 150, costTokens: 150, compactions: 0 });
  meter.measure([a, b, c]);
  expect(meter.tally).toMatchObject({ sentTokens: 330, costTokens: 150 + 15 + 30, compactions: 0 });
  meter.measure([a, c], 500);
  expect(meter.tally).toMatchObject({ sentTokens: 460, costTokens: 195 + 10 + 30 + 500, compactions: 1 });
});

test('segments of equal content are shared, even as different objects', () => {
  const meter = meterOf([[], []]);
  meter.measure([segment(100, 'a')]);
  expect(meter.measure([segment(100, 'a')]).isRewritten).toBe(false);
});

test('tallies are pooled by addition', () => {
  const one = meterOf([[far]]);
  one.measure([segmentOf('user', 'farFact')]);
  const other = meterOf([[far]]);
  other.measure([]);
  expect(addTallies(one.tally, other.tally)).toMatchObject({ steps: 2, far: 2, farSeen: 1 });
});
