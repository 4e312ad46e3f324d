import type { JsonValue } from '@longhaul/protocol';

const SHELL = /^(?:.*\/)?(?:ba|z|da|k|a)?sh$/;
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/**
 * Returns the shell line that an array of a program and its arguments means: the line of `["bash", "-lc", line]`, or
 * the words, quoted. Undefined if an entry is not a text.
 */
export function shellLine(words: readonly JsonValue[]): string | undefined {
  const texts = words.filter((word) => typeof word === 'string');
  if (texts.length !== words.length || texts.length === 0) return undefined;
  const [program = '', flag = '', line] = texts;
  if (texts.length === 3 && SHELL.test(program) && /^-[a-z]*c$/.test(flag) && line !== undefined) return line;
  // A whole line in one entry.
  if (texts.length === 1) return program;
  return texts.map(quoteWord).join(' ');
}

/** Quotes a word for a POSIX shell, if it needs quotes. */
export function quoteWord(word: string): string {
  return PLAIN_WORD.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
