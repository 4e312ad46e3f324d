export interface CutResult {
  text: string;
  wasCut: boolean;
  /** Characters left out. */
  removedChars: number;
}

/**
 * Keeps the head and the tail of a text within `maxChars`, with a line between them that says how much is missing and by which
 * handle it can be read. Surrogate pairs stay whole.
 */
export function cutMiddle(text: string, maxChars: number, handle?: string): CutResult {
  if (text.length <= maxChars) return { text, wasCut: false, removedChars: 0 };
  const headEnd = pairSafe(text, Math.ceil(maxChars * 0.6));
  const tailStart = pairSafe(text, text.length - Math.floor(maxChars * 0.4));
  const removedChars = tailStart - headEnd;
  const where = handle === undefined ? '' : `; read it with recall, handle ${handle}`;
  const note = `\n[… ${removedChars} characters cut here${where} …]\n`;
  return { text: text.slice(0, headEnd) + note + text.slice(tailStart), wasCut: true, removedChars };
}

/** Moves a cut position off the middle of a surrogate pair. */
function pairSafe(text: string, position: number): number {
  const bounded = Math.max(0, Math.min(text.length, position));
  const code = text.charCodeAt(bounded);
  return code >= 0xdc00 && code <= 0xdfff && bounded > 0 ? bounded - 1 : bounded;
}
