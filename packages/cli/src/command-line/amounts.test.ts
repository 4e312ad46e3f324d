import { expect, it } from 'vitest';
import { parseAge, parseSize } from './amounts.ts';

it.each([
  ['90m', 5_400_000],
  ['12h', 43_200_000],
  ['30d', 2_592_000_000],
  ['1.5w', 907_200_000],
])('reads the age %s', (text, ms) => expect(parseAge(text, '--older-than')).toBe(ms));

it.each([
  ['500', 500],
  ['500MB', 500e6],
  ['2GB', 2e9],
  ['2 gb', 2e9],
  ['1.5k', 1500],
])('reads the size %s', (text, bytes) => expect(parseSize(text, '--max-size')).toBe(bytes));

it.each(['', 'soon', '30', '-30d', '0d', '30 days'])('refuses the age %j', (text) =>
  expect(() => parseAge(text, '--older-than')).toThrow(/--older-than must be an age such as .*30d/),
);

it.each(['', '-2GB', '0', '2 bananas', '2GiB'])('refuses the size %j', (text) =>
  expect(() => parseSize(text, '--max-size')).toThrow(/--max-size must be a size such as .*2GB/),
);
