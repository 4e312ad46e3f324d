import fc from 'fast-check';
import type { Token, Tokens } from 'marked';
import { expect, it } from 'vitest';
import { type Block, Blocks } from './blocks.ts';
import { inlineOf } from './lex.ts';

const PIECES = [
  '# Title\n\n',
  'A paragraph with **bold** and `code`\nover two lines.\n\n',
  '- one\n- two **b**\n  - below\n- three\n\n',
  '1. first\n2. second\n\n',
  '```ts\nconst a = 1;\n\n# no title\n```\n\n',
  '~~~\n- no list\n~~~\n',
  '> quoted\n> text\n\n',
  '| a | b |\n| - | - |\n| 1 | 2 |\n\n',
  '<div>html</div>\n\n',
  '---\n\n',
  'text\n===\n\n',
  'Windows\r\nline ends\r\n\r\n',
  '* * *\n',
  '    indented code\n\n',
];

/** Reads a text piece by piece, as it arrives. */
function streamed(text: string, cuts: readonly number[]): readonly Block[] {
  const blocks = new Blocks();
  for (const cut of cuts.toSorted((a, b) => a - b)) blocks.read(text.slice(0, cut), { isRunning: true });
  return blocks.read(text, { isRunning: false });
}

it('reads a text that arrives in any pieces like the whole text', () => {
  const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 12 }).map((pieces) => pieces.join(''));
  const withCuts = text.chain((whole) =>
    fc.tuple(fc.constant(whole), fc.array(fc.nat({ max: whole.length }), { maxLength: 30 })),
  );
  fc.assert(
    fc.property(withCuts, ([whole, cuts]) => {
      expect(shapes(streamed(whole, cuts))).toEqual(shapes(streamed(whole, [])));
    }),
    { numRuns: 200 },
  );
});

it('loses no text of any answer, however it arrives', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'abc #*_`~[]()<>|-+1.\n\t\\!&:"'.split('')),
    maxLength: 200,
  });
  fc.assert(
    fc.property(text, fc.array(fc.nat({ max: 200 }), { maxLength: 10 }), (whole, cuts) => {
      const raw = streamed(whole, cuts).map((block) => block.raw);
      expect(raw.join('').replace(/\s/g, '')).toBe(whole.replace(/\s/g, ''));
    }),
    { numRuns: 500 },
  );
});

it('reads each part of a long list once', () => {
  const items = Array.from({ length: 200 }, (_, index) => `${index + 1}. item **${index}**\n`);
  const blocks = new Blocks();
  let text = '';
  let first: Block | undefined;
  for (const item of items) {
    text += item;
    const shown = blocks.read(text, { isRunning: true });
    if (shown.length < 2) continue;
    first ??= shown[0];
    expect(shown[0]).toBe(first);
  }
  const lists = blocks.read(text, { isRunning: false }) as Tokens.List[];
  expect(lists.flatMap((list) => list.items)).toHaveLength(200);
  expect(lists.map(({ start }) => start)).toEqual(
    lists.map((_, index) => 1 + lists.slice(0, index).reduce((sum, list) => sum + list.items.length, 0)),
  );
});

it.each([
  ['quotes in quotes', '> '.repeat(5_000)],
  ['lists in lists', '- '.repeat(20_000)],
  ['numbers in numbers', '1. '.repeat(20_000)],
  ['marks of emphasis', '_a_b '.repeat(20_000)],
  ['brackets', '['.repeat(100_000)],
  ['pictures', '!['.repeat(50_000)],
  ['strikes', '~~a'.repeat(30_000)],
  ['a long line', 'word **bold** and `code` '.repeat(4_000)],
])('reads hostile text without delay: %s', (_, text) => {
  const blocks = new Blocks();
  for (let end = 500; end < text.length; end += 7_919) blocks.read(text.slice(0, end), { isRunning: true });
  readInside(blocks.read(text, { isRunning: false }));
});

/** What is shown of each block, without the tokens of spaces. Lists that were divided count as one. */
function shapes(blocks: readonly Block[]): unknown[] {
  return blocks.filter(({ type }) => type !== 'space').map((block) => [block.type, readInside([block])]);
}

function readInside(blocks: readonly (Block | Token)[]): unknown {
  return blocks.map((block) => {
    const token = block as Partial<Tokens.Generic>;
    const inner = token.tokens === undefined ? undefined : inlineOf(token.tokens);
    const items = (token as { items?: Token[] }).items;
    return [block.type, token.text, inner && readInside(inner), items && readInside(items)];
  });
}
