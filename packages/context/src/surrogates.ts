/** Returns the greatest index ≤ `index` that is not inside a surrogate pair. */
export function endBefore(text: string, index: number): number {
  return splitsPair(text, index) ? index - 1 : index;
}

/** Returns the smallest index ≥ `index` that is not inside a surrogate pair. */
export function startAfter(text: string, index: number): number {
  return splitsPair(text, index) ? index + 1 : index;
}

function splitsPair(text: string, index: number): boolean {
  if (index <= 0 || index >= text.length) return false;
  return (
    isBetween(text.charCodeAt(index - 1), 0xd800, 0xdbff) && isBetween(text.charCodeAt(index), 0xdc00, 0xdfff)
  );
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
