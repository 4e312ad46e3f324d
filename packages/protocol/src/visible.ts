/**
 * Characters that are invisible, move the cursor, or change the direction of text. A person must see everything they
 * allow.
 */
const HIDING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** Replaces every character that could hide something by its code. Line ends stay. */
export function visible(text: string): string {
  return text.replace(HIDING, (char) => (char === '\n' ? char : escapedCharacter(char)));
}

/** As `visible`, on one line. */
export function visibleLine(text: string): string {
  return text.replace(HIDING, escapedCharacter);
}

/** Longer runs of blanks or empty lines would push the text before them out of sight. */
const MAX_BLANKS = 16;
const MAX_EMPTY_LINES = 4;

/** As `visible`, with long runs of blanks and empty lines replaced by their number. */
export function visibleToApprove(text: string): string {
  return visible(text)
    .replace(
      / {17,}/g,
      (blanks) => `${' '.repeat(MAX_BLANKS)}[… ${blanks.length - MAX_BLANKS} more blanks …]`,
    )
    .replace(/(?:\n *){5,}(?=\n)/g, (empty) => {
      const count = empty.split('\n').length - 1 - MAX_EMPTY_LINES;
      return `${'\n'.repeat(MAX_EMPTY_LINES)}\n[… ${count} more empty lines …]`;
    });
}

/** Characters that change the order in which the text around them is shown. */
const DIRECTIONS = /[\u202a-\u202e\u2066-\u2069]/g;

/** Replaces characters that reorder the text around them by their codes. With U+202E, `gpj.exe` would look like `exe.jpg`. */
export function showDirections(text: string): string {
  return text.replace(DIRECTIONS, escapedCharacter);
}

/** Returns the code of a character, as `\\u001b`. */
export function escapedCharacter(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).padStart(4, '0');
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
}
