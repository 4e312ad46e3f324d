/** The candidate that the word was probably meant to be. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(word, candidate) }))
    .sort((left, right) => left.distance - right.distance);
  const [best] = ranked;
  const allowed = Math.min(Math.floor(word.length / 2), Math.max(2, Math.floor(word.length / 3)));
  return best !== undefined && best.distance <= allowed ? best.candidate : undefined;
}

/** ` Did you mean "x"?`, or nothing. */
export function didYouMean(word: string, candidates: readonly string[], prefix = ''): string {
  const close = nearest(word, candidates);
  return close === undefined ? '' : ` Did you mean ${prefix}${close}?`;
}

/** Of two words no longer than a flag is. */
function editDistance(left: string, right: string): number {
  if (left.length > 64) return Number.POSITIVE_INFINITY;
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (left[i - 1] === right[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[right.length] ?? 0;
}
