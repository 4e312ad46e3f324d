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

/** Returns the code of a character, as `\\u001b`. */
export function escapedCharacter(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).padStart(4, '0');
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
}
