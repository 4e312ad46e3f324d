import { expect, it } from 'vitest';
import { ReadPace } from './read-pace.ts';

/** Returns the sizes of the last two pieces, because the pace tries the neighbours of a good size. */
function settled(msOf: (tokens: number) => number): [number, number] {
  const pace = new ReadPace();
  for (let count = 0; count < 30; count += 1) pace.note(pace.tokens, msOf(pace.tokens));
  const last = pace.tokens;
  pace.note(last, msOf(last));
  return [Math.min(last, pace.tokens), Math.max(last, pace.tokens)];
}

it('reads large pieces on a fast machine', () => {
  expect(settled((tokens) => tokens * 0.05)).toEqual([512, 512]);
});

it('reads small pieces on a slow machine, so that a cancel is noticed soon', () => {
  expect(settled((tokens) => tokens * 50)).toEqual([16, 16]);
});

it('reads pieces of a tenth of a second in between', () => {
  const [least, most] = settled((tokens) => tokens);
  expect(least).toBe(64);
  expect(most).toBeLessThanOrEqual(128);
});

it('reads large pieces where each costs much besides its tokens', () => {
  const [least] = settled((tokens) => 400 + tokens * 0.05);
  expect(least).toBeGreaterThanOrEqual(256);
});

it('learns nothing from a shorter piece at the end of a prompt', () => {
  const pace = new ReadPace();
  pace.note(3, 1_000);
  expect(pace.tokens).toBe(64);
});
