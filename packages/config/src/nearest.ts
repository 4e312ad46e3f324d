/** The candidate closest to the word, if it is close enough to be a slip of the hand. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** ` Did you mean "x"?`, or nothing. */
export function suggestion(word: string, candidates: Iterable<string>): string {
  const close = nearest(word, candidates);
  return close === undefined ? '' : ` Did you mean "${close}"?`;
}

/** Insertions, deletions, replacements and swaps of neighbours. Words longer than a name are no slip. */
function editDistance(left: string, right: string): number {
  if (left.length > 64 || right.length > 64) return Number.POSITIVE_INFINITY;
  const rows: number[][] = [Array.from({ length: right.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number): number => rows[i]?.[j] ?? 0;
  for (let i = 1; i <= left.length; i += 1) {
    rows.push([i]);
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      const ways = [at(i - 1, j - 1) + (same ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1];
      if (swapped) ways.push(at(i - 2, j - 2) + 1);
      rows[i]?.push(Math.min(...ways));
    }
  }
  return at(left.length, right.length);
}
