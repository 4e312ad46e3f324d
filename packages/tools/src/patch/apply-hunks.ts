import { type Differ, loadDiffer } from '../edit/carry-spelling.ts';
import { findLoosePlaces, type KeyedLines, keyLines, type LoosePlace } from '../edit/loose-places.ts';
import { madeBefore } from '../edit/made-before.ts';
import { describeNearest, HUNK_WORDS, listLines } from '../edit/nearest-text.ts';
import { type LineOffsets, type PlacedText, placeReplacement, startsOf } from '../edit/place-replacement.ts';
import { replacePlaces, toLineFeeds } from '../edit/text-replacer.ts';
import { choosePlaces, type FoundHunk } from './choose-places.ts';
import { isInRegion, regionsOf } from './heading-regions.ts';
import type { Hunk } from './parse-patch.ts';

export type AppliedHunks = { text: string; ignoring: string[] } | { refusal: string };

/**
 * Applies hunks to a file's text. Each must have one place: its lines, where its headings say, in the order of the
 * hunks. Lines may differ from the file as in an edit: in indentation, trailing blanks and typographic characters.
 */
export async function applyHunks(original: string, given: readonly Hunk[]): Promise<AppliedHunks> {
  const text = toLineFeeds(original);
  const file = keyLines(text);
  const hunks = given.map((hunk) => trimmed(file, hunk));
  const found: FoundHunk[] = [];
  for (const [index, hunk] of hunks.entries()) {
    const result = findHunk(file, { hunk, isLast: index === hunks.length - 1, text });
    if ('refusal' in result) return { refusal: `hunk ${index + 1}${result.refusal}` };
    found.push(result);
  }
  const chosen = choosePlaces(found);
  if ('refusal' in chosen) return chosen;
  const differ = await loadDiffer();
  const placed: PlacedText[] = [];
  for (const [index, place] of chosen.places.entries()) {
    const result = replaceHunk(file, { hunk: hunks[index], place, differ });
    if ('refusal' in result) return { refusal: `hunk ${index + 1}: ${result.refusal}` };
    placed.push(result);
  }
  const sorted = placed.toSorted((left, right) => left.start - right.start);
  if (sorted.some((place, index) => place.start < (sorted[index - 1]?.end ?? 0)))
    return { refusal: 'Two hunks change the same lines: merge them.' };
  const ignoring = chosen.places.flatMap((place) => [...(place?.differences ?? [])]);
  return { text: await replacePlaces(original, sorted), ignoring: [...new Set(ignoring)] };
}

function oldLines(hunk: Hunk): string[] {
  return hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

function newLines(hunk: Hunk): string[] {
  return hunk.lines.filter(({ sign }) => sign !== '-').map(({ text }) => text);
}

/**
 * Leaves out a blank line at the end of a hunk that the file does not have: it separates two hunks of the patch. If all
 * lines of the file that a hunk gives are blank, they stay, because they may show where it belongs.
 */
function trimmed(file: KeyedLines, hunk: Hunk): Hunk {
  const last = hunk.lines.at(-1);
  const isBlank = oldLines(hunk).every((line) => line.trim() === '');
  if (
    isBlank ||
    last?.sign !== ' ' ||
    last.text.trim() !== '' ||
    wholePlaces(file, oldLines(hunk)).length > 0
  )
    return hunk;
  return trimmed(file, { ...hunk, lines: hunk.lines.slice(0, -1) });
}

interface WantedHunk {
  hunk: Hunk;
  isLast: boolean;
  text: string;
}

/** Finds the places of a hunk that its headings, and the end of the file, allow. */
function findHunk(file: KeyedLines, { hunk, isLast, text }: WantedHunk): FoundHunk | { refusal: string } {
  const old = oldLines(hunk);
  const count = old.length;
  if (count === 0)
    return hunk.headings.length === 0 && isLast
      ? { count, places: [] }
      : { refusal: ' only adds lines: give lines of the file around them, so that their place is known.' };
  const all = wholePlaces(file, old);
  if (old.every((line) => line.trim() === ''))
    return { refusal: ': its lines of the file are all blank. Give lines with text around them.' };
  if (all.length === 0) return { refusal: `: ${describeMissing(text, hunk)}` };
  const named = regionsOf(file.lines, hunk.headings);
  if ('missing' in named)
    return {
      refusal: `: ${lineOf(all)}, but no line of the file is \`@@ ${named.missing}\`${hunk.headings.length > 1 ? ' inside the headings before it' : ''}. Give a line of the file after @@, or leave @@ empty if the lines are unique.`,
    };
  const inside = all.filter(({ at }) => named.regions.some((region) => isInRegion(region, at, count)));
  if (inside.length === 0)
    return {
      refusal: `: ${lineOf(all)}, which is not inside \`@@ ${hunk.headings.join(' @@ ')}\` at line ${listLines(named.regions.map(({ from }) => from + 1))}. Correct the lines, or the line @@.`,
    };
  const atEnd = hunk.endsFile ? inside.filter(({ at }) => isEnd(file, at + count)) : [];
  return { count, places: atEnd.length > 0 ? atEnd : inside };
}

function lineOf(places: readonly LoosePlace[]): string {
  return `the lines are at line ${listLines(places.map(({ at }) => at + 1))}`;
}

function wholePlaces(file: KeyedLines, old: readonly string[]): LoosePlace[] {
  return findLoosePlaces(file, old, { endsOpen: false }).filter(({ pairs }) =>
    pairs.every(({ start }) => start === 0),
  );
}

function isEnd({ lines }: KeyedLines, line: number): boolean {
  return lines.slice(line).every((each) => each === '');
}

function replaceHunk(
  file: KeyedLines,
  { hunk, place, differ }: { hunk: Hunk | undefined; place: LoosePlace | undefined; differ: Differ },
): PlacedText | { refusal: string } {
  const [old, replacement] = hunk === undefined ? [[], []] : [oldLines(hunk), newLines(hunk)];
  const texts = { old: asText(old), new: asText(replacement) };
  if (place === undefined) return atEndOf(file, texts.new);
  const made = madeBefore(file, texts, [place]);
  if (made !== undefined)
    return {
      refusal: `the lines at line ${place.at + 1} have another indentation, and the new text is already there, at line ${made}: the change may have been made before. If you mean another place, send its exact lines.`,
    };
  const offsets: LineOffsets = { lines: file.lines, starts: startsOf(file.lines) };
  return placeReplacement(offsets, { place, texts, differ });
}

function asText(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

function atEndOf({ lines }: KeyedLines, text: string): PlacedText {
  const all = lines.join('\n');
  const isOpen = all !== '' && !all.endsWith('\n');
  return { start: all.length, end: all.length, text: isOpen ? `\n${text.slice(0, -1)}` : text };
}

function describeMissing(text: string, hunk: Hunk): string {
  const [old, replacement] = [oldLines(hunk).join('\n'), newLines(hunk).join('\n')];
  return describeNearest(text, { old, replacement, refusal: '' }, HUNK_WORDS);
}
