import { isQuoted } from './quoted-text.ts';

export interface FoundTag {
  at: number;
  tag: string;
  open: string;
}

/** Returns the first closing tag in the text. */
export function firstClosing(
  text: string,
  tags: readonly (readonly [open: string, close: string])[],
): FoundTag | undefined {
  let first: FoundTag | undefined;
  for (const [open, tag] of tags) {
    const at = text.indexOf(tag);
    if (at !== -1 && (first === undefined || at < first.at)) first = { at, tag, open };
  }
  return first;
}

/**
 * Whether a closing tag without an opening one ends thoughts. Some chat templates open them in the prompt. An answer
 * that writes about the tag has it in code, in quotation marks or within a sentence.
 *
 * @param next The character after the tag, empty at the end.
 */
export function endsThoughts(before: string, { open }: FoundTag, next: string): boolean {
  if (before.includes(open) || isQuoted(before) || /["'`”’»,;:)]/.test(next)) return false;
  const isWithinLine = /\S[ \t]+$/.test(before) && !/[.!?…。][ \t]+$/.test(before);
  return !isWithinLine || next === '' || next === '\n' || next === '\r';
}
