import { type Difference, type LinePair, looseKey, pairLines } from './line-pair.ts';

/** A place of the file whose lines are the given ones, apart from blanks and typographic characters. */
export interface LoosePlace {
  /** Index of the first line, from 0. */
  at: number;
  pairs: LinePair[];
  differences: Set<Difference>;
}

/** Larger files are searched for the exact text only. */
export const MAX_LOOSE_CHARS = 8 * 1024 * 1024;

/** Lines of a file, and their keys for comparison. */
export interface KeyedLines {
  lines: readonly string[];
  keys: readonly string[];
}

export function keyLines(text: string): KeyedLines {
  const lines = text.split('\n');
  return { lines, keys: lines.map(looseKey) };
}

/**
 * Finds all places that differ from the given lines in nothing but blanks and typographic characters.
 *
 * @param options.endsOpen The last line can end in the middle of a line of the file.
 */
export function findLoosePlaces(
  file: KeyedLines,
  given: readonly string[],
  { endsOpen }: { endsOpen: boolean },
): LoosePlace[] {
  const wanted = given.map(looseKey);
  if (wanted.every((key) => key === '')) return [];
  const places: LoosePlace[] = [];
  for (let at = 0; at + given.length <= file.lines.length; at += 1) {
    if (canStart(file.keys, at, wanted)) places.push(...placesAt(file.lines, at, { given, endsOpen }));
  }
  return places;
}

function canStart(keys: readonly string[], at: number, wanted: readonly string[]): boolean {
  const last = wanted.length - 1;
  if (last === 0) return keys[at]?.includes(wanted[0] ?? '') === true;
  return (
    keys[at]?.endsWith(wanted[0] ?? '') === true &&
    keys[at + last]?.startsWith(wanted[last] ?? '') === true &&
    wanted.every((key, index) => index === 0 || index === last || keys[at + index] === key)
  );
}

function placesAt(
  lines: readonly string[],
  at: number,
  { given, endsOpen }: { given: readonly string[]; endsOpen: boolean },
): LoosePlace[] {
  const last = given.length - 1;
  const choices = given.map((line, index) =>
    pairLines(line, lines[at + index] ?? '', { start: index === 0, end: index === last && endsOpen }),
  );
  if (choices.some((pairs) => pairs.length === 0)) return [];
  // Only a single line can be in several places of its line.
  const [first = []] = choices;
  const variants = last === 0 ? first.map((pair) => [pair]) : [choices.flatMap(([pair]) => pair ?? [])];
  return variants.map((pairs) => ({
    at,
    pairs,
    differences: new Set(pairs.flatMap(({ differences }) => [...differences])),
  }));
}

/**
 * Returns the places that can be meant: those with the exact text, else all of them. Of places that differ, none wins
 * because it differs less: an invisible blank must not decide.
 */
export function placesThatCount(places: readonly LoosePlace[]): LoosePlace[] {
  const exact = places.filter(({ differences }) => differences.size === 0);
  return exact.length > 0 ? exact : [...places];
}
