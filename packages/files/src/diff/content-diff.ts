import { binaryPatch } from './binary-patch.ts';
import { hunks } from './hunks.ts';
import { countLines, editsBetween, toLines } from './text-lines.ts';

/** Characters of a piece of a patch, about. */
const PIECE_CHARS = 64 * 1024;

export interface LineCounts {
  added: number;
  removed: number;
}

/** Counts the lines that differ. Undefined: one of the contents is not text. */
export function countChangedLines(old: Buffer, now: Buffer): LineCounts | undefined {
  const [oldLines, newLines] = [toLines(old), toLines(now)];
  if (oldLines === undefined || newLines === undefined) return undefined;
  return countLines(editsBetween(oldLines, newLines));
}

/**
 * Returns the difference of two contents, below the lines that name the files. Its pieces end with a line.
 *
 * @param labels Names of the files, with which a difference of texts begins.
 */
export function contentPatch(old: Buffer, now: Buffer, labels: string): string[] {
  const [oldLines, newLines] = [toLines(old), toLines(now)];
  if (oldLines === undefined || newLines === undefined) return inPieces(binaryPatch(old, now));
  const edits = editsBetween(oldLines, newLines);
  // An empty file that is new or deleted.
  return edits.length === 0 ? [] : [labels, ...inPieces(hunks(oldLines, newLines, edits))];
}

function inPieces(lines: Iterable<string>): string[] {
  const pieces: string[] = [];
  let piece: string[] = [];
  let chars = 0;
  for (const line of lines) {
    piece.push(line);
    chars += line.length;
    if (chars < PIECE_CHARS) continue;
    pieces.push(piece.join(''));
    [piece, chars] = [[], 0];
  }
  if (piece.length > 0) pieces.push(piece.join(''));
  return pieces;
}
