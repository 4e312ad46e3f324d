import { carrySpelling, type Differ } from './carry-spelling.ts';
import { foldText } from './fold-text.ts';
import { findIndentMap, indentOf, indentUnit, type MapIndent, nameIndent } from './indentation.ts';
import type { LinePair } from './line-pair.ts';
import type { LoosePlace } from './loose-places.ts';
import type { EditTexts } from './rewrites.ts';

/** The text that replaces a part of the file, with line feeds. */
export interface PlacedText {
  start: number;
  end: number;
  text: string;
}

/** Offsets of a file's lines. */
export interface LineOffsets {
  lines: readonly string[];
  starts: readonly number[];
}

/** Returns the offsets at which lines begin. */
export function startsOf(lines: readonly string[]): number[] {
  let start = 0;
  return lines.map((line) => {
    const own = start;
    start += line.length + 1;
    return own;
  });
}

/**
 * Returns what replaces the file's text at a place: the new lines with the file's indentation, and unchanged lines as
 * the file has them. Or the reason why it is not certain.
 */
export function placeReplacement(
  file: LineOffsets,
  { place, texts, differ }: { place: LoosePlace; texts: EditTexts; differ: Differ },
): PlacedText | { refusal: string } {
  const given = texts.old.split('\n');
  const endsWithBreak = given.length > place.pairs.length;
  const { lines, dropsBreak } = newLines(texts.new, endsWithBreak);
  const firstStarts = startOf(place);
  const map = mapFor(file.lines, { place, lines, isPartial: firstStarts !== 0 });
  if (map === undefined)
    return { refusal: describeIndentation(place, ', and not in the same way on all lines') };
  const shifted = lines.map((line, index) =>
    shift(line, index === 0 && firstStarts !== 0 ? (indent) => indent : map),
  );
  if (shifted.includes(undefined)) return { refusal: describeShift(place) };
  const replaced = mergeLines(
    { place, lines, shifted: shifted.flatMap((line) => line ?? []), firstStarts },
    differ,
  );
  const lastAt = place.at + place.pairs.length - 1;
  const start = (file.starts[place.at] ?? 0) + firstStarts;
  const isLastLine = lastAt === file.lines.length - 1;
  const last = place.pairs.at(-1);
  const lineEnd = endsWithBreak ? (last?.line.length ?? 0) : endOf(last);
  const end = (file.starts[lastAt] ?? 0) + lineEnd + (endsWithBreak && dropsBreak && !isLastLine ? 1 : 0);
  return { start, end, text: replaced.join('\n') };
}

/** The lines of the new text without the one after its last line feed, if the given text ends with one too. */
function newLines(text: string, endsWithBreak: boolean): { lines: string[]; dropsBreak: boolean } {
  const lines = text.split('\n');
  if (!endsWithBreak || lines.length === 1) return { lines, dropsBreak: endsWithBreak };
  if (lines.at(-1) !== '') return { lines, dropsBreak: true };
  return { lines: lines.slice(0, -1), dropsBreak: false };
}

/** Where the place begins in its first line: after the indentation, if the given text has none there only. */
function startOf({ pairs }: LoosePlace): number {
  const [first, ...rest] = pairs;
  if (first === undefined) return 0;
  if (first.start > 0) return first.start;
  const fileIndent = indentOf(first.line);
  if (indentOf(first.given) !== '' || fileIndent === '') return 0;
  // If all lines lack the same indentation, the first one is like the others.
  const others = rest.filter(({ given }) => given.trim() !== '');
  const isLikeOthers = others.some((pair) => indentOf(pair.line) === fileIndent + indentOf(pair.given));
  return others.length === 0 || isLikeOthers ? 0 : fileIndent.length;
}

/** Text after a place that ends in the middle of its line stays, as do blanks that the given text lacks. */
function endOf(pair: LinePair | undefined): number {
  if (pair === undefined) return 0;
  if (pair.end < pair.line.length) return pair.end;
  const isGiven = pair.given.trimEnd() !== pair.given;
  return isGiven || pair.given === '' ? pair.line.length : pair.line.trimEnd().length;
}

function mapFor(
  fileLines: readonly string[],
  { place, lines, isPartial }: { place: LoosePlace; lines: readonly string[]; isPartial: boolean },
): MapIndent | undefined {
  if (!place.differences.has('indentation')) return (indent) => indent;
  const compared = place.pairs
    .slice(isPartial ? 1 : 0)
    .filter(({ given }) => given.trim() !== '')
    .map(({ given, line }) => ({ given: indentOf(given), file: indentOf(line) }));
  const more = lines
    .slice(isPartial ? 1 : 0)
    .filter((line) => line.trim() !== '')
    .map(indentOf);
  return findIndentMap(compared, { more, fileUnit: indentUnit(fileLines) });
}

function shift(line: string, map: MapIndent): string | undefined {
  if (line.trim() === '') return line;
  const indent = indentOf(line);
  const mapped = map(indent);
  return mapped === undefined ? undefined : mapped + line.slice(indent.length);
}

/** Puts the new lines together: unchanged ones as the file has them, changed ones in its spelling. */
function mergeLines(
  merged: { place: LoosePlace; lines: readonly string[]; shifted: readonly string[]; firstStarts: number },
  differ: Differ,
): string[] {
  const { place, lines, shifted, firstStarts } = merged;
  const given = place.pairs.map((pair) => pair.given);
  const fileLine = (index: number) => {
    const pair = place.pairs[index];
    if (pair === undefined) return '';
    const isLast = index === place.pairs.length - 1;
    return pair.line.slice(index === 0 ? firstStarts : 0, isLast ? endOf(pair) : pair.line.length);
  };
  const result: string[] = [];
  let [read, written] = [0, 0];
  let removed = 0;
  for (const { value, added, removed: isRemoved } of differ.lines(given, lines)) {
    if (isRemoved) removed = value.length;
    else if (added) {
      const isPaired = removed === value.length;
      for (let index = 0; index < value.length; index += 1) {
        const own = read - removed + index;
        result.push(
          isPaired
            ? carryLine(
                { given: given[own] ?? '', file: fileLine(own), replacement: shifted[written] ?? '' },
                differ,
              )
            : (shifted[written] ?? ''),
        );
        written += 1;
      }
    } else for (let index = 0; index < value.length; index += 1) result.push(fileLine(read + index));
    if (!added) read += value.length;
    if (!added && !isRemoved) {
      written += value.length;
      removed = 0;
    } else if (added) removed = 0;
  }
  return result;
}

/** A mapped indentation is right already, so only the rest is compared. */
function carryLine(
  { given, file, replacement }: { given: string; file: string; replacement: string },
  differ: Differ,
): string {
  if (indentOf(given) === indentOf(replacement) && foldText(given).text === foldText(file).text)
    return carrySpelling({ given, file, replacement }, differ);
  const indent = indentOf(replacement);
  const body = (line: string) => line.slice(indentOf(line).length).trimEnd();
  const carried = carrySpelling(
    { given: body(given), file: body(file), replacement: replacement.slice(indent.length) },
    differ,
  );
  return indent + carried;
}

function describeIndentation({ at, pairs }: LoosePlace, how = ''): string {
  const index = pairs.findIndex(({ given, line }) => indentOf(given) !== indentOf(line));
  const pair = pairs[Math.max(0, index)];
  return `it differs in its indentation${how}: line ${at + Math.max(0, index) + 1} begins with ${nameIndent(indentOf(pair?.line ?? ''))}, \`old\` has ${nameIndent(indentOf(pair?.given ?? ''))}.`;
}

function describeShift(place: LoosePlace): string {
  return `${describeIndentation(place)} \`new\` has an indentation that cannot be converted.`;
}
