import { readControls } from '@longhaul/core/tool-output';
import type { Differ } from './carry-spelling.ts';
import { areNumbersOf, isNumberedBlank } from './line-numbers.ts';
import {
  findLoosePlaces,
  type KeyedLines,
  keyLines,
  type LoosePlace,
  MAX_LOOSE_CHARS,
} from './loose-places.ts';
import { madeBefore } from './made-before.ts';
import { listLines } from './nearest-text.ts';
import { type PlacedText, placeReplacement, startsOf } from './place-replacement.ts';
import { type EditTexts, lastRewritesOf, type Rewrite, rewritesOf } from './rewrites.ts';
import { findMatches } from './text-replacer.ts';

export interface WantedEdit extends EditTexts {
  all: boolean;
  /** The text consists of whole lines. */
  wholeLines?: boolean;
}

export type EditMatch =
  | { places: PlacedText[]; ignoring: string[] }
  /** `places`: lines, from 0, that the reason is about. */
  | { refusal: string; places?: { at: number; count: number }[] };

/**
 * Finds where an edit applies. The exact text wins. Else, texts that were written down in another form, and then places
 * that differ in nothing but blanks and typographic characters, are accepted if the file has exactly one of them, or if
 * every one is to be replaced. No place wins because it differs less: an invisible blank must not decide.
 *
 * @param text The file's text with line feeds.
 */
export async function matchEdit(
  text: string,
  wanted: WantedEdit,
  loadDiffer: () => Promise<Differ>,
): Promise<EditMatch> {
  const exact = matchExact(text, { ...wanted, ignoring: '' }, wanted) ?? matchControls(text, wanted);
  if (exact !== undefined) return exact;
  const rewrites = rewritesOf(wanted);
  const rewritten = firstOf(rewrites, (rewrite) => matchExact(text, rewrite, wanted));
  if (rewritten !== undefined) return rewritten;
  if (text.length > MAX_LOOSE_CHARS) return { refusal: 'The file is too large to look for similar text.' };
  const file = keyLines(text);
  const differ = await loadDiffer();
  const loosely = (rewrite: Rewrite) => matchLoosely(file, { rewrite, wanted, differ });
  const asGiven = { ...wanted, ignoring: '', startsLine: isNumberedBlank(wanted.old) };
  const found =
    firstOf([asGiven, ...rewrites], loosely) ??
    firstOf(lastRewritesOf(wanted), (rewrite) => matchExact(text, rewrite, wanted) ?? loosely(rewrite));
  return found ?? { refusal: '' };
}

function firstOf(
  rewrites: readonly Rewrite[],
  match: (rewrite: Rewrite) => EditMatch | undefined,
): EditMatch | undefined {
  for (const rewrite of rewrites) {
    const found = match(rewrite);
    if (found !== undefined) return found;
  }
  return undefined;
}

function matchExact(text: string, rewrite: Rewrite, { all, wholeLines }: WantedEdit): EditMatch | undefined {
  const startsLine = wholeLines === true || rewrite.startsLine === true;
  const matches = findMatches(text, rewrite.old, all ? {} : { step: 1 }).filter(
    ({ start }) => !startsLine || start === 0 || text.charAt(start - 1) === '\n',
  );
  if (
    matches.length === 0 ||
    !isNumberedAs(
      rewrite,
      matches.map(({ line }) => line),
    )
  )
    return undefined;
  if (rewrite.problem !== undefined) return { refusal: rewrite.problem };
  if (matches.length > 1 && !all) return { refusal: describeAmbiguity(matches.map(({ line }) => line)) };
  const places = matches.map(({ start }) => ({
    start,
    end: start + rewrite.old.length,
    text: rewrite.new,
  }));
  return { places, ignoring: rewrite.ignoring === '' ? [] : [rewrite.ignoring] };
}

/** Line numbers are dropped only if they are those of a match: others may be keys of the text. */
function isNumberedAs({ numbers }: Rewrite, lines: readonly number[]): boolean {
  return numbers === undefined || lines.some((line) => areNumbersOf(numbers, line));
}

/** The escapes that read shows. They are only read if the text does not have them as they are. */
function matchControls(text: string, wanted: WantedEdit): EditMatch | undefined {
  const old = readControls(wanted.old);
  if (old === wanted.old) return undefined;
  return matchExact(text, { old, new: readControls(wanted.new), ignoring: '' }, wanted);
}

function matchLoosely(
  file: KeyedLines,
  { rewrite, wanted, differ }: { rewrite: Rewrite; wanted: WantedEdit; differ: Differ },
): EditMatch | undefined {
  const given = rewrite.old.split('\n');
  const endsWithBreak = given.length > 1 && given.at(-1) === '';
  if (endsWithBreak) given.pop();
  const { all, wholeLines } = wanted;
  const places = findLoosePlaces(file, given, { endsOpen: !endsWithBreak }).filter(
    ({ pairs: [first, ...rest] }) =>
      (rewrite.startsLine !== true || first?.start === 0) &&
      (wholeLines !== true ||
        [first, ...rest].every((pair) => pair?.start === 0 && pair.end === pair.line.length)),
  );
  if (
    places.length === 0 ||
    !isNumberedAs(
      rewrite,
      places.map(({ at }) => at + 1),
    )
  )
    return undefined;
  const spans = places.map(({ at }) => ({ at, count: given.length }));
  const ignoring = ignoredIn(places, rewrite);
  if (rewrite.problem !== undefined) return { refusal: rewrite.problem, places: spans };
  if (places.length > 1 && !all)
    return {
      refusal: `\`old\` was not found, and ignoring ${ignoring.join(', ')}, it matches ${places.length} times, at lines ${listLines(places.map(({ at }) => at + 1))}. Send the exact text, or add surrounding lines until it is unique.`,
      places: spans,
    };
  const offsets = { lines: file.lines, starts: startsOf(file.lines) };
  const placed = places.map((place) => placeReplacement(offsets, { place, texts: rewrite, differ }));
  const refused = placed.find((result) => 'refusal' in result);
  if (refused !== undefined && 'refusal' in refused)
    return {
      refusal: `\`old\` was not found. The text at line ${(spans[0]?.at ?? 0) + 1} is near, but ${refused.refusal}`,
      places: spans,
    };
  const found = placed.flatMap((result) => ('refusal' in result ? [] : [result]));
  const made = madeBefore(file, rewrite, places);
  if (made !== undefined)
    return {
      refusal: `\`old\` was not found. \`new\` is already there, at line ${made}: the edit may have been made before. If you mean another place, send its exact text.`,
      places: spans,
    };
  return { places: withoutOverlaps(found), ignoring };
}

/** Of places that overlap, the first one is replaced, as with exact text. */
function withoutOverlaps(places: readonly PlacedText[]): PlacedText[] {
  const kept: PlacedText[] = [];
  for (const place of places) if (place.start >= (kept.at(-1)?.end ?? 0)) kept.push(place);
  return kept;
}

function ignoredIn(places: readonly LoosePlace[], { ignoring }: Rewrite): string[] {
  const differences = new Set(places.flatMap((place) => [...place.differences]));
  return [...(ignoring === '' ? [] : [ignoring]), ...differences];
}

function describeAmbiguity(lines: readonly number[]): string {
  return `\`old\` matches ${lines.length} times, at lines ${listLines(lines)}. Add surrounding lines until it is unique, or set all: true.`;
}
