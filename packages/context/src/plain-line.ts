/** A link keeps its text. */
const LINK = /!?\[([^\]]*)\]\([^)]*\)/g;
const TAG = /<\/?[a-z][^<>]*>/gi;
const BLANKS = /[\p{Cc}\p{Zs}\p{Zl}\p{Zp}\u2800]+/gu;
const INVISIBLE = /[\p{Cf}\p{Cs}\p{Co}\p{Default_Ignorable_Code_Point}]+/gu;
const LIST_SIGN = /^(?:#{1,6}|[-*+>•]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?/;

/** Returns a text as one line without Markdown, tags, control characters and characters that cannot be seen. */
export function plainLine(text: string): string {
  return text
    .replace(BLANKS, ' ')
    .replace(INVISIBLE, '')
    .replace(LINK, '$1')
    .replace(TAG, '')
    .trim()
    .replace(LIST_SIGN, '')
    .replace(/\*\*|__|`/g, '')
    .trim();
}
