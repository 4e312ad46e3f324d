import { type FoldedText, foldText } from './fold-text.ts';

/** Compares two texts, as `diffChars` and `diffArrays` of the library `diff` do. */
export interface Differ {
  chars(before: string, after: string): readonly { value: string; added: boolean; removed: boolean }[];
  lines(
    before: readonly string[],
    after: readonly string[],
  ): readonly { value: readonly string[]; added: boolean; removed: boolean }[];
}

export async function loadDiffer(): Promise<Differ> {
  const { diffArrays, diffChars } = await import('diff');
  return {
    chars: diffChars,
    lines: (before, after) => diffArrays([...before], [...after]),
  };
}

const MAX_COMPARED_CHARS = 2_000;

/**
 * Returns the new line in the spelling of the file: where the new line keeps characters of the given one, it keeps
 * those of the file. So an edit of one word does not replace the quotes of the whole line.
 */
export function carrySpelling(
  { given, file, replacement }: { given: string; file: string; replacement: string },
  differ: Differ,
): string {
  if (given === file || given === replacement) return given === file ? replacement : file;
  if (Math.max(given.length, replacement.length) > MAX_COMPARED_CHARS) return replacement;
  const [own, other] = [foldText(given), foldText(file)];
  if (own.text !== other.text) return replacement;
  let carried = '';
  let read = 0;
  for (const { value, added, removed } of differ.chars(given, replacement)) {
    if (added) carried += value;
    else {
      if (!removed) carried += file.slice(toFile(read, own, other), toFile(read + value.length, own, other));
      read += value.length;
    }
  }
  return isSame(carried, replacement) ? carried : replacement;
}

function toFile(offset: number, own: FoldedText, other: FoldedText): number {
  let index = own.at.findIndex((at) => at >= offset);
  if (index === -1) index = own.at.length - 1;
  return other.at[index] ?? 0;
}

function isSame(left: string, right: string): boolean {
  return foldText(left).text === foldText(right).text;
}
