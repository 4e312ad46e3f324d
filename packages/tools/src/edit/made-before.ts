import { foldText } from './fold-text.ts';
import { findLoosePlaces, type KeyedLines, type LoosePlace } from './loose-places.ts';
import type { EditTexts } from './rewrites.ts';

/** A shorter new text can be elsewhere by chance. */
const MIN_TELLING_CHARS = 16;

/**
 * Returns the line of the new text, if the file has it elsewhere: the edit may have been made before, and a place with
 * other blanks may be one that nobody meant.
 */
export function madeBefore(
  file: KeyedLines,
  { old, new: replacement }: EditTexts,
  places: readonly LoosePlace[],
): number | undefined {
  const isTelling = replacement.trim().length >= MIN_TELLING_CHARS || replacement.trim().includes('\n');
  if (!isTelling || wordsOf(old).includes(wordsOf(replacement))) return undefined;
  if (places.every(({ differences }) => !differences.has('indentation'))) return undefined;
  const wanted = replacement.replace(/\n$/, '').split('\n');
  const count = places[0]?.pairs.length ?? 0;
  const isElsewhere = ({ at }: LoosePlace) =>
    places.every((place) => at + wanted.length <= place.at || at >= place.at + count);
  const found = findLoosePlaces(file, wanted, { endsOpen: false }).find(isElsewhere);
  return found === undefined ? undefined : found.at + 1;
}

function wordsOf(text: string): string {
  return foldText(text).text.replaceAll(/\s+/g, '');
}
