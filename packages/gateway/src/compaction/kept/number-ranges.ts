/** Formats ascending numbers as text: `1-3,7`. */
export function rangesOf(numbers: readonly number[]): string {
  const ranges: [first: number, last: number][] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range[1] + 1) range[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}

export function parseRanges(text: string): number[] {
  return text
    .split(',')
    .filter((range) => range !== '')
    .flatMap((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    });
}
