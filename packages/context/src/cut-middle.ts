import { endBefore, startAfter } from './surrogates.ts';

/** A text that may have lost its middle. */
export interface CutResult {
  text: string;
  wasCut: boolean;
  /** Number of characters that are left out. */
  removedChars: number;
}

/**
 * Keeps the head and the tail of a text within `maxChars`. A line between them shows how much is missing, and the
 * handle that reads it. That line counts too. If there is no room for more, it is all that remains.
 *
 * The result is never longer than the text. Surrogate pairs stay whole.
 */
export function cutMiddle(text: string, maxChars: number, handle?: string): CutResult {
  const whole = { text, wasCut: false, removedChars: 0 };
  if (text.length <= maxChars) return whole;
  const room = Math.max(0, maxChars - noteFor(text.length, handle).length);
  const headEnd = headOf(text, Math.ceil(room * 0.6)).length;
  const tailStart = startAfter(text, text.length - Math.floor(room * 0.4));
  const removedChars = tailStart - headEnd;
  const cut = text.slice(0, headEnd) + noteFor(removedChars, handle) + text.slice(tailStart);
  return cut.length < text.length ? { text: cut, wasCut: true, removedChars } : whole;
}

function noteFor(removedChars: number, handle: string | undefined): string {
  return `\n${cutNote(removedChars, handle)}\n`;
}

/** The note that replaces cut text: how much is missing, and the handle by which `recall` reads it. */
export function cutNote(removedChars: number, handle?: string): string {
  const where = handle === undefined ? '' : `; read it with recall, handle ${handle}`;
  return `[… ${removedChars} characters cut here${where} …]`;
}

/** Returns the first `maxChars` characters, or one fewer if that would split a surrogate pair. */
export function headOf(text: string, maxChars: number): string {
  return text.slice(0, endBefore(text, maxChars));
}
