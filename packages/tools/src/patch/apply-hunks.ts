import { type Differ, loadDiffer } from '../edit/carry-spelling.ts';
import { indentOf } from '../edit/indentation.ts';
import {
  findLoosePlaces,
  type KeyedLines,
  keyLines,
  type LoosePlace,
  nearestPlaces,
} from '../edit/loose-places.ts';
import { describeNearest, HUNK_WORDS } from '../edit/nearest-text.ts';
import { type LineOffsets, type PlacedText, placeReplacement, startsOf } from '../edit/place-replacement.ts';
import { replacePlaces, toLineFeeds } from '../edit/text-replacer.ts';
import type { Hunk } from './parse-patch.ts';

export type AppliedHunks = { text: string; ignoring: string[] } | { refusal: string };

/**
 * Applies hunks to a file's text. Each must have one place: its lines, after its headings, in the order of the hunks.
 * Lines may differ from the file in blanks and typographic characters.
 */
export async function applyHunks(original: string, hunks: readonly Hunk[]): Promise<AppliedHunks> {
  const text = toLineFeeds(original);
  const file = keyLines(text);
  const differ = await loadDiffer();
  const found = hunks.map((hunk) => findHunk(file, trimmed(file, hunk)));
  const missing = found.findIndex(({ places }) => places.length === 0);
  if (missing !== -1) return { refusal: describeMissing(text, hunks, missing) };
  const chosen = choosePlaces(found);
  if ('refusal' in chosen) return chosen;
  const offsets = { lines: file.lines, starts: startsOf(file.lines) };
  const placed: PlacedText[] = [];
  for (const [index, place] of chosen.places.entries()) {
    const result = replaceHunk(offsets, { found: found[index], place, differ });
    if ('refusal' in result) return { refusal: `hunk ${index + 1}: ${result.refusal}` };
    placed.push(result);
  }
  const sorted = placed.toSorted((left, right) => left.start - right.start);
  if (sorted.some((place, index) => place.start < (sorted[index - 1]?.end ?? 0)))
    return { refusal: 'Two hunks change the same lines: merge them.' };
  const ignoring = chosen.places.flatMap((place) => [...(place?.differences ?? [])]);
  return { text: await replacePlaces(original, sorted), ignoring: [...new Set(ignoring)] };
}

interface FoundHunk {
  hunk: Hunk;
  /** `undefined` is the end of the file, for a hunk that only adds. */
  places: (LoosePlace | undefined)[];
}

function oldLines(hunk: Hunk): string[] {
  return hunk.lines.filter(({ sign }) => sign !== '+').map(({ text }) => text);
}

function newLines(hunk: Hunk): string[] {
  return hunk.lines.filter(({ sign }) => sign !== '-').map(({ text }) => text);
}

/** Leaves out a blank line at the end of a hunk that the file does not have: it separates two hunks of the patch. */
function trimmed(file: KeyedLines, hunk: Hunk): Hunk {
  const last = hunk.lines.at(-1);
  if (last?.sign !== ' ' || last.text.trim() !== '' || wholePlaces(file, oldLines(hunk)).length > 0)
    return hunk;
  return trimmed(file, { ...hunk, lines: hunk.lines.slice(0, -1) });
}

function findHunk(file: KeyedLines, hunk: Hunk): FoundHunk {
  const old = oldLines(hunk);
  if (old.length === 0) return { hunk, places: hunk.headings.length === 0 ? [undefined] : [] };
  const all = wholePlaces(file, old);
  const atEnd = hunk.endsFile ? all.filter(({ at }) => isEnd(file, at + old.length)) : all;
  const regions = regionsOf(file.lines, hunk.headings);
  const inside = (atEnd.length > 0 ? atEnd : all).filter(({ at }) =>
    regions.some(({ from, to }) => at >= from && at + old.length <= to + 1),
  );
  return { hunk, places: inside.length > 0 ? inside : all };
}

function wholePlaces(file: KeyedLines, old: readonly string[]): LoosePlace[] {
  const places = findLoosePlaces(file, old, { endsOpen: false });
  return nearestPlaces(places.filter(({ pairs }) => pairs.every(({ start }) => start === 0)));
}

function isEnd({ lines }: KeyedLines, line: number): boolean {
  return lines.slice(line).every((each) => each === '');
}

/** The parts of the file that the headings name: from each heading to the end of its block. */
function regionsOf(lines: readonly string[], headings: readonly string[]): { from: number; to: number }[] {
  let regions = [{ from: 0, to: lines.length }];
  for (const heading of headings) {
    const inside = (line: number) => regions.some(({ from, to }) => line >= from && line < to);
    const indexes = lines.flatMap((line, index) =>
      inside(index) && isHeading(line, heading) ? [index] : [],
    );
    const exact = indexes.filter((index) => lines[index]?.trim() === heading);
    const next = (exact.length > 0 ? exact : indexes).map((from) => ({ from, to: blockEnd(lines, from) }));
    if (next.length > 0) regions = next;
  }
  return regions;
}

function isHeading(line: string, heading: string): boolean {
  return line.trim().startsWith(heading) || (heading.length > 5 && line.includes(heading));
}

/** The line after the last one that is indented deeper, or closes the block. */
function blockEnd(lines: readonly string[], from: number): number {
  const width = indentOf(lines[from] ?? '').length;
  for (let index = from + 1; index < lines.length; index += 1) {
    const line = lines[index] ?? '';
    if (line.trim() === '' || indentOf(line).length > width) continue;
    return /^\s*[)\]}]/.test(line) ? index + 1 : index;
  }
  return lines.length;
}

/** Chooses the places if there is only one way: in the order of the hunks, or in any if each has one place. */
function choosePlaces(
  found: readonly FoundHunk[],
): { places: (LoosePlace | undefined)[] } | { refusal: string } {
  const first = inOrder(found, 'down');
  const last = inOrder([...found].reverse(), 'up')?.reverse();
  if (first === undefined || last === undefined) {
    const ambiguous = found.findIndex(({ places }) => places.length > 1);
    return ambiguous === -1
      ? { places: found.map(({ places: [place] }) => place) }
      : { refusal: describeChoice(found[ambiguous], ambiguous) };
  }
  const differs = first.findIndex((place, index) => place?.at !== last[index]?.at);
  return differs === -1 ? { places: first } : { refusal: describeChoice(found[differs], differs) };
}

/** Chooses the first place of each hunk after that of the hunk before it: from the start of the file, or from its end. */
function inOrder(
  found: readonly FoundHunk[],
  direction: 'down' | 'up',
): (LoosePlace | undefined)[] | undefined {
  const chosen: (LoosePlace | undefined)[] = [];
  const isUp = direction === 'up';
  let bound = isUp ? Number.POSITIVE_INFINITY : 0;
  for (const { hunk, places } of found) {
    const length = oldLines(hunk).length;
    const isFree = (each: LoosePlace | undefined) =>
      each === undefined || (isUp ? each.at + length <= bound : each.at >= bound);
    const place = isUp ? places.findLast(isFree) : places.find(isFree);
    if (place === undefined && places[0] !== undefined) return undefined;
    chosen.push(place);
    if (place !== undefined) bound = isUp ? place.at : place.at + length;
  }
  return chosen;
}

function describeChoice(found: FoundHunk | undefined, index: number): string {
  const lines = (found?.places ?? []).map((place) => (place?.at ?? 0) + 1);
  return `hunk ${index + 1} matches ${lines.length} times, at lines ${lines.slice(0, 20).join(', ')}: add lines around it, or a line @@ with that of its function.`;
}

function replaceHunk(
  file: LineOffsets,
  { found, place, differ }: { found: FoundHunk | undefined; place: LoosePlace | undefined; differ: Differ },
): PlacedText | { refusal: string } {
  const lines = found === undefined ? [] : newLines(found.hunk);
  const text = lines.map((line) => `${line}\n`).join('');
  if (place === undefined) {
    const all = file.lines.join('\n');
    const isOpen = all !== '' && !all.endsWith('\n');
    return { start: all.length, end: all.length, text: isOpen ? `\n${text.slice(0, -1)}` : text };
  }
  const old = found === undefined ? [] : oldLines(found.hunk);
  return placeReplacement(file, {
    place,
    texts: { old: old.map((line) => `${line}\n`).join(''), new: text },
    differ,
  });
}

function describeMissing(text: string, hunks: readonly Hunk[], index: number): string {
  const hunk = hunks[index];
  const old = hunk === undefined ? [] : oldLines(hunk);
  if (old.length === 0)
    return `hunk ${index + 1} only adds lines: give lines of the file around them, so that their place is known.`;
  const replacement = hunk === undefined ? '' : newLines(hunk).join('\n');
  const nearest = describeNearest(text, { old: old.join('\n'), replacement, refusal: '' }, HUNK_WORDS);
  return `hunk ${index + 1}: ${nearest}`;
}
