/** The size of a piece bounds its time and memory for any text. */
export const MAX_PIECE_CHARS = 2048;

/**
 * Returns the end of the piece that starts at `start`. A cut between a word and the blank after it, or between the end
 * of a line and a word, is a token boundary anyway, so the count stays exact. Only a run without either is cut
 * anywhere. That adds at most one or two tokens for each piece. A surrogate pair stays whole.
 */
export function endOfPiece(text: string, start: number): number {
  const limit = start + MAX_PIECE_CHARS;
  if (limit >= text.length) return text.length;
  let lineStart = 0;
  for (let end = limit; end > start + 1; end -= 1) {
    const before = text.charCodeAt(end - 1);
    const after = text.charCodeAt(end);
    if (after === BLANK && !isSpace(before)) return end;
    if (before === NEWLINE && after !== NEWLINE && lineStart === 0) lineStart = end;
  }
  if (lineStart > 0) return lineStart;
  return splitsPair(text, limit) ? limit - 1 : limit;
}

const BLANK = 32;
const NEWLINE = 10;

function isSpace(code: number): boolean {
  if (code < 128) return code === BLANK || (code >= 9 && code <= 13);
  return /\s/.test(String.fromCharCode(code));
}

function splitsPair(text: string, index: number): boolean {
  return isHighSurrogate(text.charCodeAt(index - 1)) && isLowSurrogate(text.charCodeAt(index));
}

export function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}

export function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff;
}
