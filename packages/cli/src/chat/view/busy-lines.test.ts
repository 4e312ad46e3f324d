import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { busyLines } from './busy-lines.ts';

const OPTIONS = { sign: '*', columns: 20, paint: createPaint(false) };

it('indents further lines as far as the text of the first one, within the columns', () => {
  expect(busyLines(['explore a', 'general b', 'general with a long task'], OPTIONS)).toEqual([
    '',
    '* explore a',
    '  general b',
    '  general with a lo…',
  ]);
});

it('says that work goes on if nothing more is known', () => {
  expect(busyLines([], OPTIONS)).toEqual(['', '* working']);
});
