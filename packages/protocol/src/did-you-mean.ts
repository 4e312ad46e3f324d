/** Longer words are not a mistyped name: 255 bytes is the longest file name on common file systems. */
const MAX_NAME_CHARS = 255;
/**
 * Edits are counted in words up to this length: the cost is the product of both lengths. Longer words are compared by
 * pairs only.
 */
const MAX_EDITED_CHARS = 32;
/** Two edits in a word of five characters are a typo; three are another word. */
const MIN_EDIT_SIMILARITY = 0.6;
const MIN_PAIR_SIMILARITY = 0.5;

/**
 * Returns the candidates that `word` was probably meant to be, the most similar first and at most `limit` (default 1).
 *
 * A candidate is close if at most 40 % of its characters are edited, or if both share at least half of their character
 * pairs. Case is ignored. Among equally similar candidates, the one closest in length is first, then the order is
 * alphabetical.
 */
export function nearestNames(
  word: string,
  candidates: Iterable<string>,
  { limit = 1 }: { limit?: number } = {},
): string[] {
  if (word.length > MAX_NAME_CHARS) return [];
  const wanted = word.toLowerCase();
  return [...candidates]
    .filter((name) => name.length <= MAX_NAME_CHARS)
    .map((name) => ({ name, score: closeness(wanted, name.toLowerCase()) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || byLengthThenName(word, left.name, right.name))
    .slice(0, limit)
    .map(({ name }) => name);
}

/**
 * Returns ` Did you mean "x"?` for the closest candidate, or an empty string. `show` writes the name; quoted by
 * default.
 */
export function suggestion(
  word: string,
  candidates: Iterable<string>,
  show: (name: string) => string = (name) => `"${name}"`,
): string {
  const [closest] = nearestNames(word, candidates);
  return closest === undefined ? '' : ` Did you mean ${show(closest)}?`;
}

/**
 * Returns the share of character pairs that both texts have (Dice's coefficient): 1 for equal texts, 0 for texts with
 * nothing in common. Linear in the lengths.
 */
export function pairSimilarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left.length < 2 || right.length < 2) return 0;
  const pairs = new Map<string, number>();
  for (let index = 0; index + 2 <= left.length; index += 1) {
    const pair = left.slice(index, index + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  let common = 0;
  for (let index = 0; index + 2 <= right.length; index += 1) {
    const pair = right.slice(index, index + 2);
    const count = pairs.get(pair) ?? 0;
    if (count === 0) continue;
    pairs.set(pair, count - 1);
    common += 1;
  }
  return (2 * common) / (left.length + right.length - 2);
}

function byLengthThenName(word: string, left: string, right: string): number {
  const byLength = Math.abs(left.length - word.length) - Math.abs(right.length - word.length);
  return byLength || (left < right ? -1 : 1);
}

/** The higher of both similarities; 0 if neither reaches its minimum. */
function closeness(left: string, right: string): number {
  const edits = editSimilarity(left, right);
  const pairs = pairSimilarity(left, right);
  return edits >= MIN_EDIT_SIMILARITY || pairs >= MIN_PAIR_SIMILARITY ? Math.max(edits, pairs) : 0;
}

/** The share of the longer word that is not edited; 0 for words too long to count edits in. */
function editSimilarity(left: string, right: string): number {
  const length = Math.max(left.length, right.length);
  const cannotBeClose = Math.min(left.length, right.length) < length * MIN_EDIT_SIMILARITY;
  return length > MAX_EDITED_CHARS || cannotBeClose ? 0 : 1 - editDistance(left, right) / length;
}

/** Counts insertions, deletions, replacements and swaps of neighbours. */
function editDistance(left: string, right: string): number {
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= right.length; j += 1) {
      const isSame = left[i - 1] === right[j - 1];
      const isSwapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const ways = [at(i - 1, j - 1) + (isSame ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1];
      if (isSwapped) ways.push(at(i - 2, j - 2) + 1);
      rows[i]?.push(Math.min(...ways));
    }
  }
  return at(left.length, right.length);
}
