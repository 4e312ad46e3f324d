import { expect, it } from 'vitest';
import { OutputTail } from './output-tail.ts';

const tailOf = (text: string) => {
  const tail = new OutputTail();
  tail.add(text);
  return tail.lastLines();
};

it('shows the last five lines', () => {
  expect(tailOf('1\n2\n\n3\n4\n5\n6\n')).toBe('2\n3\n4\n5\n6');
  expect(tailOf('')).toBe('');
});

it('shows the line with the error before the end of its stack', () => {
  const stack = ['    at a', '    at b', '    at c', '    at d', 'Node.js v24'];
  expect(tailOf(["Error: Cannot find module '/x.js'", ...stack].join('\n'))).toBe(
    ["Error: Cannot find module '/x.js'", '…', ...stack].join('\n'),
  );
  expect(tailOf('TypeError: no\n    at a\n')).toBe('TypeError: no\n    at a');
});
