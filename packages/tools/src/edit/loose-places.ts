import { type Difference, type LinePair, looseKey, pairLines } from './line-pair.ts';

/** A place of the file whose lines are the given ones, apart from blanks and typographic characters. */
export interface LoosePlace {
  /** Index of the first line. */
  at: number;
  pairs: LinePair[];
  differences: Set<Difference>;
}

/** Larger files are searched for the exact text only. */
export const MAX_LOOSE_CHARS = 8 * 1024 * 1024;
const MAX_PLACES = 50;

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
  for (let at = 0; at + given.length <= file.lines.length && places.length < MAX_PLACES; at += 1) {
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

const WEIGHTS: Readonly<Record<Difference, number>> = {
  'trailing blanks': 1,
  'typographic characters': 2,
  indentation: 4,
  'spacing within lines': 8,
};

/** The places that differ least. */
export function nearestPlaces(places: readonly LoosePlace[]): LoosePlace[] {
  const weight = ({ differences }: LoosePlace) =>
    [...differences].reduce((sum, difference) => sum + WEIGHTS[difference], 0);
  const least = Math.min(...places.map(weight));
  return places.filter((place) => weight(place) === least);
}
