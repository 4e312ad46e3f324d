import { plural } from '@longhaul/core/tool-output';

/** Maps an indentation of the given text to that of the file. Undefined: it cannot be known. */
export type MapIndent = (indent: string) => string | undefined;

export interface IndentPair {
  given: string;
  file: string;
}

export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/**
 * Returns how the indentation of the file differs from the given one: by a prefix on every line, or by another width of
 * one level. Undefined if the lines do not differ in one way.
 *
 * @param options.more Indentations that must be mapped too. They show how wide a level of the given text is.
 * @param options.fileUnit Columns of one level in the file.
 */
export function findIndentMap(
  pairs: readonly IndentPair[],
  options: { more: readonly string[]; fileUnit: number },
): MapIndent | undefined {
  const known = knownIndents(pairs);
  if (known === undefined) return undefined;
  const general = isScaled(known, options)
    ? byWidth(pairs, options)
    : (byPrefix(pairs) ?? byWidth(pairs, options));
  return (indent) => known.get(indent) ?? general?.(indent);
}

/** Undefined if one indentation stands for two: then the text was written without its structure. */
function knownIndents(pairs: readonly IndentPair[]): Map<string, string> | undefined {
  const known = new Map<string, string>();
  for (const { given, file } of pairs) {
    const before = known.get(given);
    if (before !== undefined && before !== file) return undefined;
    known.set(given, file);
  }
  // Two levels that are one in the file have no order that new lines could follow.
  return new Set(known.values()).size === known.size ? known : undefined;
}

/**
 * Whether one known level, of spaces in both texts, differs in the width of a level and not by a prefix: if the given
 * text has narrower levels than the file, in the same ratio.
 */
function isScaled(
  known: ReadonlyMap<string, string>,
  { more, fileUnit }: { more: readonly string[]; fileUnit: number },
): boolean {
  const [[given, file] = ['', '']] = known;
  if (known.size !== 1 || given === '' || file === '' || onlyChar([given, file, ...more]) !== ' ')
    return false;
  const unit = unitOf(more, given.length);
  return unit > 0 && unit !== fileUnit && unit * file.length === fileUnit * given.length;
}

function byPrefix(pairs: readonly IndentPair[]): MapIndent | undefined {
  const [{ given = '', file = '' } = {}] = pairs;
  const added = file.slice(0, Math.max(0, file.length - given.length));
  if (pairs.every((pair) => pair.file === added + pair.given)) return (indent) => added + indent;
  const removed = given.slice(0, Math.max(0, given.length - file.length));
  if (pairs.some((pair) => pair.given !== removed + pair.file)) return undefined;
  return (indent) => (indent.startsWith(removed) ? indent.slice(removed.length) : undefined);
}

const WIDTHS = [2, 3, 4, 8];

function byWidth(
  pairs: readonly IndentPair[],
  { more, fileUnit }: { more: readonly string[]; fileUnit: number },
): MapIndent | undefined {
  const givenChar = onlyChar([...pairs.map(({ given }) => given), ...more]);
  const fileChar = onlyChar(pairs.map(({ file }) => file));
  const [first] = pairs;
  if (givenChar === undefined || fileChar === undefined || first === undefined) return undefined;
  const [given0, file0] = [first.given.length, first.file.length];
  const other = pairs.find(({ given }) => given.length !== given0);
  const ratio =
    other === undefined
      ? guessRatio({ givenChar, fileChar, given0, file0, more, fileUnit })
      : (other.file.length - file0) / (other.given.length - given0);
  if (ratio === undefined || ratio <= 0) return undefined;
  const widthOf = (indent: string) => file0 + (indent.length - given0) * ratio;
  if (pairs.some(({ given, file }) => widthOf(given) !== file.length)) return undefined;
  return (indent) => {
    const width = widthOf(indent);
    return Number.isInteger(width) && width >= 0 ? fileChar.repeat(width) : undefined;
  };
}

/** One level is known from a single line: the width of one level of the other lines, or of the file, decides. */
function guessRatio(facts: {
  givenChar: string;
  fileChar: string;
  given0: number;
  file0: number;
  more: readonly string[];
  fileUnit: number;
}): number | undefined {
  const { givenChar, fileChar, given0, file0, more, fileUnit } = facts;
  if (givenChar === fileChar) return given0 === 0 ? 1 : file0 / given0;
  if (givenChar === '\t') return WIDTHS.includes(fileUnit) ? fileUnit : undefined;
  const unit = unitOf(more, given0);
  return WIDTHS.includes(unit) ? 1 / unit : undefined;
}

/** The one character of all indentations. Undefined if they mix. */
function onlyChar(indents: readonly string[]): ' ' | '\t' | undefined {
  const all = indents.join('');
  if (!all.includes('\t')) return ' ';
  return all.includes(' ') ? undefined : '\t';
}

/** Returns the columns of one level in a file that is indented with spaces. 0: none is. */
export function indentUnit(lines: readonly string[]): number {
  let unit = 0;
  for (const line of lines) {
    const [spaces = ''] = /^ +(?=\S)/.exec(line) ?? [];
    // One column is the alignment of a comment.
    if (spaces.length > 1 && (unit === 0 || spaces.length < unit)) unit = spaces.length;
  }
  return unit;
}

/** Returns the columns of one level in some indentations, beside one of a known width. 0: there is no other width. */
function unitOf(indents: readonly string[], width: number): number {
  return indents.map((indent) => Math.abs(indent.length - width)).reduce(gcd, 0);
}

function gcd(left: number, right: number): number {
  return right === 0 ? left : gcd(right, left % right);
}

/** Names an indentation for a message. */
export function nameIndent(indent: string): string {
  if (indent === '') return 'no indentation';
  const tabs = indent.split('\t').length - 1;
  const spaces = indent.length - tabs;
  const parts = [tabs === 0 ? [] : plural(tabs, 'tab'), spaces === 0 ? [] : plural(spaces, 'space')];
  return parts.flat().join(' and ');
}
