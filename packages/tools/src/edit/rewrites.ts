import { type LineNumbers, stripNumbers } from './line-numbers.ts';

/** The texts of an edit, read in another way. */
export interface EditTexts {
  old: string;
  new: string;
}

export interface Rewrite extends EditTexts {
  /** What was ignored in the given texts, for the result. */
  ignoring: string;
  /** The first line of `old` is a whole line of the file. */
  startsLine?: boolean;
  /** The line numbers that were removed. */
  numbers?: LineNumbers;
  /** Why `new` cannot be read in this way. */
  problem?: string;
}

/** Returns the ways to read the texts of an edit whose `old` is not in the file. */
export function rewritesOf(texts: EditTexts): Rewrite[] {
  const fenced = withoutFences(texts);
  return [
    ...withoutLineNumbers(texts),
    ...unescaped(texts),
    ...withoutEntities(texts),
    ...fenced,
    ...fenced.flatMap(withoutLineNumbers).map((rewrite) => ({
      ...rewrite,
      ignoring: `code fences and ${rewrite.ignoring}`,
    })),
  ].filter((rewrite) => isOther(rewrite, texts));
}

/** The last resort: a blank line that the file does not have. */
export function lastRewritesOf(texts: EditTexts): Rewrite[] {
  return withoutBlankEnds(texts).filter((rewrite) => isOther(rewrite, texts));
}

function isOther(rewrite: Rewrite, texts: EditTexts): boolean {
  return rewrite.old !== texts.old && rewrite.old.trim() !== '';
}

function withoutLineNumbers(texts: EditTexts): Rewrite[] {
  return stripNumbers(texts).map((stripped) => ({ ...stripped, ignoring: 'line numbers' }));
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  "'": "'",
  '`': '`',
  '\\': '\\',
  $: '$',
};
const ESCAPE = /\\([nrt"'`\\$])/g;

/** Reads texts that were escaped once too often. */
function unescaped({ old, new: replacement }: EditTexts): Rewrite[] {
  const read = readEscapes(old);
  if (read === old) return [];
  const hasOnlyEscapedBreaks = read.includes('\n') && !old.includes('\n');
  // With breaks of its own, the new text was not escaped as the old one was.
  const isPlain = hasOnlyEscapedBreaks && replacement.includes('\n');
  const meant = isPlain ? replacement : readEscapes(replacement);
  const problem =
    !isPlain && breaksString(replacement)
      ? '`new` has \\n inside a string, which can mean a line break or the two characters: send real line breaks, and no other escapes.'
      : undefined;
  return [{ old: read, new: meant, ignoring: 'escapes', ...(problem !== undefined && { problem }) }];
}

function readEscapes(text: string): string {
  return text.replace(ESCAPE, (_, char: string) => ESCAPES[char] ?? char).replaceAll('\r\n', '\n');
}

/** Whether an escaped line break is inside a string of a program. */
function breaksString(escaped: string): boolean {
  let quote = '';
  for (let at = 0; at < escaped.length; at += 1) {
    const pair = escaped.slice(at, at + 2);
    const isEscape = pair.length === 2 && pair.startsWith('\\') && Object.hasOwn(ESCAPES, pair.charAt(1));
    if (pair === '\\n' && quote !== '' && quote !== '`') return true;
    const char = isEscape ? (ESCAPES[pair.charAt(1)] ?? '') : escaped.charAt(at);
    const before = escaped.charAt(at - 1);
    if (isEscape) at += 1;
    if (char === '\n') quote = '';
    else if (quote !== '') quote = char === quote ? '' : quote;
    // An apostrophe after a letter opens no string.
    else if (char === '"' || char === '`' || (char === "'" && !/\w/.test(before))) quote = char;
  }
  return false;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&apos;': "'",
};
const ENTITY = /&(?:lt|gt|amp|quot|apos|#39);/g;

/** Reads texts that were escaped as XML. Such a text has no plain `<`, `>` or `&`. */
function withoutEntities({ old, new: replacement }: EditTexts): Rewrite[] {
  const read = (text: string) => text.replace(ENTITY, (entity) => ENTITIES[entity] ?? entity);
  const isMixed = (text: string) => /[<>&]/.test(text.replace(ENTITY, ''));
  if (read(old) === old || isMixed(old)) return [];
  const problem = isMixed(replacement) ? '`new` mixes XML entities and plain characters.' : undefined;
  return [
    {
      old: read(old),
      new: read(replacement),
      ignoring: 'XML entities',
      ...(problem !== undefined && { problem }),
    },
  ];
}

const FENCED = /^\s*```[^\n`]*\n([\s\S]*?)\n?```\s*$/;

function withoutFences({ old, new: replacement }: EditTexts): Rewrite[] {
  const inside = FENCED.exec(old)?.[1];
  if (inside === undefined) return [];
  return [{ old: inside, new: FENCED.exec(replacement)?.[1] ?? replacement, ignoring: 'code fences' }];
}

/** Leaves out blank lines at the ends that both texts have. */
function withoutBlankEnds({ old, new: replacement }: EditTexts): Rewrite[] {
  const [oldStart, oldEnd] = blankEnds(old);
  const [newStart, newEnd] = blankEnds(replacement);
  const sameStart = oldStart.split('\n').length === newStart.split('\n').length;
  const sameEnd = oldEnd.split('\n').length === newEnd.split('\n').length;
  const cut = (text: string, [start, end]: readonly [string, string]) =>
    text.slice(sameStart ? start.length : 0, sameEnd ? text.length - end.length : text.length);
  const texts = { old: cut(old, [oldStart, oldEnd]), new: cut(replacement, [newStart, newEnd]) };
  if (replacement.trim() === '') return [];
  return [{ ...texts, ignoring: 'blank lines at the ends' }];
}

function blankEnds(text: string): readonly [string, string] {
  if (text.trim() === '') return ['', ''];
  return [/^(?:[ \t]*\n)*/.exec(text)?.[0] ?? '', /(?:\n[ \t]*)*$/.exec(text)?.[0] ?? ''];
}
