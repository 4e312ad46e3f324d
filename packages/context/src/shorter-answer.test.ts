import { expect, it } from 'vitest';
import { shorterAnswer } from './shorter-answer.ts';

it.each([
  ['a quarter for a small request', 1_000, 4_000, 1_000],
  ['at least 256 tokens', 1_000, 800, 256],
  ['nothing if the answer is that short already', 1_000, 256, undefined],
  ['nothing for a request of half of the window', 5_000, 4_000, undefined],
])('returns %s', (_name, requestTokens, answerTokens, shorter) => {
  expect(shorterAnswer({ requestTokens, usableTokens: 10_000, answerTokens })).toBe(shorter);
});
