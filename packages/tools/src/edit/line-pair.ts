import { type FoldedText, foldText } from './fold-text.ts';
import { indentOf } from './indentation.ts';

/**
 * In what a line of the given text can differ from the line of the file that it means. Blanks between words are never
 * ignored: in a string, in Markdown or in data with tabs, they have a meaning.
 */
export type Difference = 'trailing blanks' | 'typographic characters' | 'indentation';

/** A given line, and the part of a line of the file that it means. */
export interface LinePair {
  given: string;
  /** The whole line of the file. */
  line: string;
  /** The part of it: without what precedes a given line that begins in the middle, or follows one that ends there. */
  start: number;
  end: number;
  differences: Set<Difference>;
}

export interface LineEnds {
  /** The given line can begin, or end, in the middle of the line. */
  start: boolean;
  end: boolean;
}

/** Compares a given line with a line of the file. Returns one pair for each place, and none if they differ in words. */
export function pairLines(given: string, line: string, open: LineEnds): LinePair[] {
  const whole = pairWhole(given, line);
  if (whole !== undefined) return [whole];
  return open.start || open.end ? pairParts(given, line, open) : [];
}

/** Folds a line's text without the blanks at its ends. */
function foldBody(line: string): FoldedText & { start: number } {
  const folded = foldText(line);
  const start = /^[ \t]*/.exec(folded.text)?.[0].length ?? 0;
  const end = Math.max(start, folded.text.trimEnd().length);
  const [first = 0] = folded.at.slice(start);
  return { text: folded.text.slice(start, end), at: folded.at.slice(start, end + 1), start: first };
}

function pairWhole(given: string, line: string): LinePair | undefined {
  if (given === line) return { given, line, start: 0, end: line.length, differences: new Set() };
  const [own, other] = [foldBody(given), foldBody(line)];
  if (own.text !== other.text) return undefined;
  const differences = new Set<Difference>();
  const end = line.trimEnd().length;
  const start = Math.min(other.start, line.length);
  if (own.text === '') {
    if (given !== line) differences.add('trailing blanks');
    return { given, line, start: 0, end: line.length, differences };
  }
  if (given.slice(own.start).trimEnd() !== line.slice(start, end)) differences.add('typographic characters');
  const [ownIndent, otherIndent] = [given.slice(0, own.start), line.slice(0, start)];
  if (ownIndent !== otherIndent) {
    const isSpelling = foldText(ownIndent).text === foldText(otherIndent).text;
    differences.add(isSpelling ? 'typographic characters' : 'indentation');
  }
  if (given.slice(given.trimEnd().length) !== line.slice(end)) differences.add('trailing blanks');
  return { given, line, start: 0, end: line.length, differences };
}

const BEFORE_WORD = /^[\p{L}\p{N}_]/u;
const AFTER_WORD = /[\p{L}\p{N}_]$/u;

/** Finds a given line inside a line of the file. Blanks must be equal then: nothing else shows where it belongs. */
function pairParts(given: string, line: string, open: LineEnds): LinePair[] {
  const startsOpen = open.start && indentOf(given) === '';
  const folded = foldText(line);
  const wanted = foldText(given);
  const pairs: LinePair[] = [];
  for (const [text, isTrimmed] of [
    [wanted.text, false],
    [wanted.text.trimEnd(), true],
  ] as const) {
    if (text.trim() === '' || (isTrimmed && text === wanted.text)) continue;
    for (let at = folded.text.indexOf(text); at !== -1; at = folded.text.indexOf(text, at + 1)) {
      const [before, after] = [folded.text.slice(0, at), folded.text.slice(at + text.length)];
      if (!startsOpen && before !== '') continue;
      if (!open.end && after.trim() !== '') continue;
      if (BEFORE_WORD.test(text) && AFTER_WORD.test(before)) continue;
      if (AFTER_WORD.test(text) && BEFORE_WORD.test(after)) continue;
      pairs.push(
        partPair({ given, line, folded, at, length: text.length, isTrimmed: isTrimmed || !open.end }),
      );
    }
    if (pairs.length > 0) break;
  }
  return pairs;
}

function partPair(found: {
  given: string;
  line: string;
  folded: FoldedText;
  at: number;
  length: number;
  isTrimmed: boolean;
}): LinePair {
  const { given, line, folded, at, length, isTrimmed } = found;
  const start = folded.at[at] ?? 0;
  const end = folded.at[at + length] ?? line.length;
  const differences = new Set<Difference>();
  if (isTrimmed && given.trimEnd() !== given) differences.add('trailing blanks');
  if (given.trimEnd() !== line.slice(start, end).trimEnd()) differences.add('typographic characters');
  return { given, line, start, end, differences };
}

/** Removes everything in which a given line can differ from its line. Lines with different keys are never a pair. */
export function looseKey(line: string): string {
  return foldText(line).text.trim();
}
