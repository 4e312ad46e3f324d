/**
 * Returns a function that calls `work` at most once at a time, and returns its last result again until it is too old.
 *
 * @param options.maxAgeMs How long a result is valid.
 */
export function cached<T>(
  work: () => Promise<T>,
  { maxAgeMs, now = () => performance.now() }: { maxAgeMs: (result: T) => number; now?: () => number },
): () => Promise<T> {
  let known: { result: T; at: number } | undefined;
  let underWay: Promise<T> | undefined;
  return async () => {
    if (known !== undefined && now() - known.at < maxAgeMs(known.result)) return known.result;
    underWay ??= work()
      .then((result) => {
        known = { result, at: now() };
        return result;
      })
      .finally(() => {
        underWay = undefined;
      });
    return await underWay;
  };
}
