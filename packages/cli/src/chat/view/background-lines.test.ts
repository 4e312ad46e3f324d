import { expect, it } from 'vitest';
import { createPaint } from '../../render/paint.ts';
import { backgroundLines } from './background-lines.ts';

const lines = (commands: Parameters<typeof backgroundLines>[0], columns = 40) =>
  backgroundLines(commands, { columns, paint: createPaint(false) });

it('shows the newest commands first, each in a line, and counts the rest', () => {
  const commands = [1, 2, 3, 4, 5].map((n) => ({
    handle: `m${n}.0`,
    command: `serve ${n}`,
    isKept: n === 4,
  }));
  expect(lines(commands)).toEqual([
    'background m5.0 serve 5',
    'background m4.0 (kept) serve 4',
    'background m3.0 serve 3',
    'background +2 more commands',
  ]);
  expect(lines([])).toEqual([]);
  const [long = ''] = lines([{ handle: 'm1.0', command: `first\n${'x'.repeat(100)}`, isKept: false }]);
  expect(long).not.toContain('\n');
  expect(long.length).toBeLessThanOrEqual(40);
});
