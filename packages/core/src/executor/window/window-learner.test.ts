import { playedDriver, usageOf } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { WindowLearner } from './window-learner.ts';

/** A server that was to have 65,536 tokens and reports 8,192. */
function learner() {
  const driver = playedDriver([], { windowTokens: 65_536 });
  const serverWindow = { reported: async () => 8_192, learned: async () => undefined };
  return new WindowLearner({ ...driver, serverWindow });
}

it.each([
  ['cut', 'the prediction is a little below the window that the server reports', 8_148],
  ['nonsense', 'the prompt surely fits the window that the server reports', 4_000],
])('judges a reported size that did not grow as %s if %s', async (judgement, _if, predictedTokens) => {
  const window = learner();
  expect(await window.read({ predictedTokens: 3_000, hasMedia: false }, usageOf(3_000))).toBe('whole');
  const grown = { predictedTokens, addedTokens: predictedTokens - 3_000, hasMedia: false };
  expect(await window.read(grown, usageOf(2_500))).toBe(judgement);
  expect(window.windowTokens).toBe(judgement === 'cut' ? 8_192 : 65_536);
});
