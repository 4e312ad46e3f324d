import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { endOfPiece, MAX_PIECE_CHARS } from './text-pieces.ts';

function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = endOfPiece(text, start);
    if (end <= start) throw new Error('a piece without an end');
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

describe('endOfPiece', () => {
  it('cuts before a blank, else after the end of a line, else anywhere', () => {
    const word = 'x'.repeat(100);
    expect(piecesOf(`${word} `.repeat(100)).slice(1)).toSatisfy((pieces: string[]) =>
      pieces.every((piece) => piece.startsWith(' ')),
    );
    expect(piecesOf(`${word}\n`.repeat(100))).toSatisfy((pieces: string[]) =>
      pieces.every((piece) => piece.endsWith('\n')),
    );
    expect(piecesOf('x'.repeat(MAX_PIECE_CHARS * 2)).map((piece) => piece.length)).toEqual([
      MAX_PIECE_CHARS,
      MAX_PIECE_CHARS,
    ]);
  });

  it('keeps all text, keeps pairs whole, and keeps every piece short', () => {
    const run = fc.tuple(
      fc.constantFrom('😀', 'a', ' ', '\n', '\ud800', 'é'),
      fc.integer({ min: 1, max: 3_000 }),
    );
    fc.assert(
      fc.property(fc.array(run, { maxLength: 8 }), (runs) => {
        const text = runs.map(([char, times]) => char.repeat(times)).join('');
        const pieces = piecesOf(text);
        expect(pieces.join('')).toBe(text);
        expect(Math.max(0, ...pieces.map((piece) => piece.length))).toBeLessThanOrEqual(MAX_PIECE_CHARS);
        const isSplit = pieces.some(
          (piece, index) =>
            /[\ud800-\udbff]$/.test(piece) && /^[\udc00-\udfff]/.test(pieces[index + 1] ?? ''),
        );
        expect(isSplit).toBe(false);
      }),
    );
  });
});
