/** Time and memory for a piece are bounded whatever the text is. */
export const MAX_PIECE_CHARS = 2048;

/**
 * Where the piece that starts at `start` ends. A cut between a word and the blank after it is a token boundary anyway, so it
 * leaves the count exact. Only a run without one is cut anywhere, which adds at most a token or two a piece; a surrogate pair stays
 * whole.
 */
export function endOfPiece(text: string, start: number): number {
  const limit = start + MAX_PIECE_CHARS;
  if (limit >= text.length) return text.length;
  for (let end = limit; end > start + 1; end -= 1) {
    if (text.charCodeAt(end) === BLANK && !isSpace(text.charCodeAt(end - 1))) return end;
  }
  return splitsPair(text, limit) ? limit - 1 : limit;
}

const BLANK = 32;

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
