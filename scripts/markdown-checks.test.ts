import { expect, it } from 'vitest';
import { headingAnchors, longLines } from './markdown-checks.ts';

it('finds long lines outside of tables and code', () => {
  const long = 'word '.repeat(40);
  expect(longLines(['short', long, `| ${long} |`, '```', long, '```', `- ${long}`].join('\n'))).toEqual([
    2, 7,
  ]);
});

it('makes the anchors of headings, and numbers equal ones', () => {
  const text = [
    '# The `longhaul` command',
    '## `longhaul resume`, `cancel`',
    '## A [link](x.md) & more',
    '## Use',
    '## Use',
  ];
  expect([...headingAnchors(text.join('\n'))]).toEqual([
    'the-longhaul-command',
    'longhaul-resume-cancel',
    'a-link--more',
    'use',
    'use-1',
  ]);
});

it('ignores lines of code that look like headings', () => {
  expect([...headingAnchors('```\n# comment\n```\n')]).toEqual([]);
});
