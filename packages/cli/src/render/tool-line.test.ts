import { expect, it } from 'vitest';
import { shortArguments } from './tool-line.ts';

it('describes a call by its texts and numbers, without switches and lists', () => {
  expect(
    shortArguments({ command: 'npm start', background: true, keep: false, timeoutMs: 5, rest: [1] }),
  ).toBe('npm start 5');
  expect(shortArguments(null)).toBe('');
});
