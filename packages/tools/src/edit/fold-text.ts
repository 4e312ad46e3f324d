/** A text in which characters that look alike are equal, with the places of its characters in the original. */
export interface FoldedText {
  text: string;
  /** Offset in the original of each character, and of the end. */
  at: number[];
}

/** Characters that editors, chats and models put in place of plain ones. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/[\u2018\u2019\u201a\u201b\u2032]/, "'"],
  [/[\u201c\u201d\u201e\u201f\u2033]/, '"'],
  [/[\u2010-\u2015\u2212\ufe63\uff0d]/, '-'],
  [/[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/, ' '],
  [/\u2026/, '...'],
  // Without width: joiners, soft hyphens, marks of direction and of byte order.
  [/[\u00ad\u200b-\u200f\u202a-\u202e\u2060\ufeff]/, ''],
];

const CLUSTERS = /\P{M}\p{M}*|\p{M}+/gsu;
const IS_PLAIN = /^[\t\n\r\u0020-\u007e]*$/;

/** Replaces typographic characters by plain ones, and composes letters with their accents. */
export function foldText(original: string): FoldedText {
  if (IS_PLAIN.test(original)) return { text: original, at: offsetsTo(original.length) };
  let text = '';
  const at: number[] = [];
  for (const { 0: cluster, index } of original.matchAll(CLUSTERS)) {
    const plain = toPlain(cluster);
    for (let char = 0; char < plain.length; char += 1) at.push(index);
    text += plain;
  }
  return { text, at: [...at, original.length] };
}

function toPlain(cluster: string): string {
  const rule = PLAIN.find(([pattern]) => pattern.test(cluster.charAt(0)));
  return rule === undefined ? cluster.normalize('NFC') : rule[1] + cluster.slice(1);
}

function offsetsTo(length: number): number[] {
  return Array.from({ length: length + 1 }, (_, index) => index);
}

/** Names the characters of a text that look like others, for a message. */
export function nameUnusual(text: string): string[] {
  const unusual = [...text].filter((char) => PLAIN.some(([pattern]) => pattern.test(char)));
  return [...new Set(unusual)].map((char) => {
    const code = `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return char === '\u00a0' ? `${code} (no-break space)` : code;
  });
}
