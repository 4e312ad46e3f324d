import { expect, it } from 'vitest';
import { historyStep } from './history.ts';

const TEXTS = ['newest', 'older', 'oldest'];

it('goes back from an empty composer and forward again', () => {
  expect(historyStep('up', '', TEXTS)).toBe('newest');
  expect(historyStep('up', 'newest', TEXTS)).toBe('older');
  expect(historyStep('up', 'oldest', TEXTS)).toBeUndefined();
  expect(historyStep('down', 'older', TEXTS)).toBe('newest');
  expect(historyStep('down', 'newest', TEXTS)).toBe('');
  expect(historyStep('down', '', TEXTS)).toBeUndefined();
  expect(historyStep('up', '', [])).toBeUndefined();
});

it('keeps text that is not in the history', () => {
  expect(historyStep('up', 'being written', TEXTS)).toBeUndefined();
  expect(historyStep('down', 'newest, but changed', TEXTS)).toBeUndefined();
});
