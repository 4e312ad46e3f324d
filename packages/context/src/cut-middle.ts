import { endBefore, startAfter } from './surrogates.ts';

export interface CutResult {
  text: string;
  wasCut: boolean;
  /** Characters left out. */
  removedChars: number;
}

/**
 * Keeps the head and the tail of a text within `maxChars`, with a line between them that says how much is missing and by which
 * handle it can be read; that line is counted, and is all that stays when there is room for no more. Never longer than the text
 * it was given. Surrogate pairs stay whole.
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

/** Takes the place of cut text: how much is missing, and the handle by which `recall` reads it. */
export function cutNote(removedChars: number, handle?: string): string {
  const where = handle === undefined ? '' : `; read it with recall, handle ${handle}`;
  return `[… ${removedChars} characters cut here${where} …]`;
}

/** The first `maxChars` characters, or one fewer where that would split a surrogate pair. */
export function headOf(text: string, maxChars: number): string {
  return text.slice(0, endBefore(text, maxChars));
}
