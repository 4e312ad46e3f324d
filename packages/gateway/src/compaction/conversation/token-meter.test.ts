import { expect, it } from 'vitest';
import { countInPieces } from './token-meter.ts';

async function piecesOf(text: string): Promise<string[]> {
  const pieces: string[] = [];
  await countInPieces(text, (piece) => pieces.push(piece));
  return pieces;
}

it.each([
  ['with blanks', 'some words '.repeat(10_000)],
  ['with lines', `${'x'.repeat(30_000)}\n`.repeat(4)],
  ['without either', 'x'.repeat(100_000)],
])('splits a text %s into pieces that begin at a blank where there is one', async (_, text) => {
  const pieces = await piecesOf(text);
  expect(pieces.join('')).toBe(text);
  expect(pieces.length).toBeGreaterThan(2);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(32_768);
  if (/\s/.test(text)) for (const piece of pieces.slice(1)) expect(piece).toMatch(/^\s/);
});

it('splits a long text that has no line break in a time that grows with its length alone', async () => {
  const from = performance.now();
  await piecesOf('some words '.repeat(4_000_000));
  expect(performance.now() - from).toBeLessThan(5_000);
});
