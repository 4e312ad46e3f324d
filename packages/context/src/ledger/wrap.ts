const LINE_CHARS = 110;

/** Returns words as lines of about 110 characters. The separator also ends a line that is continued. */
export function wrap(words: readonly string[], separator = ' '): string[] {
  const lines: string[] = [];
  let current = '';
  for (const word of words) {
    if (current !== '' && current.length + word.length >= LINE_CHARS) {
      lines.push(`${current}${separator}`.trimEnd());
      current = '';
    }
    current = current === '' ? word : `${current}${separator}${word}`;
  }
  return current === '' ? lines : [...lines, current];
}
