/**
 * Returns an axis that fits the values: its two ends and its ticks, which are round numbers. The ends are ticks, too.
 *
 * The axis extends beyond the values by `padding`, a share of their span, and stays between `min` and `max`. The span
 * is at least `minSpan`, so that a negligible difference does not fill the chart. `count` is the number of intervals to
 * aim at.
 */
export function fittedAxis(
  values,
  { count, minSpan, min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY, padding = 0.12 },
) {
  const lowest = Math.min(...values);
  const highest = Math.max(...values);
  const reach = Math.max(highest - lowest, minSpan) * (0.5 + padding);
  const middle = (lowest + highest) / 2;
  const low = Math.max(min, middle - reach);
  const high = Math.min(max, middle + reach);
  const step = roundStep((high - low) / count);
  const first = Math.floor(low / step + ROUNDING);
  const last = Math.ceil(high / step - ROUNDING);
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => withoutNoise((first + index) * step));
  return { from: ticks[0], to: ticks.at(-1), step, ticks };
}

/** Returns round numbers from 0 to `max`, in about `count` intervals. */
export function ticksFromZero(max, count) {
  const step = roundStep(max / count);
  return Array.from({ length: Math.floor(max / step + ROUNDING) + 1 }, (_, index) =>
    withoutNoise(index * step),
  );
}

/** Returns a function that maps an axis to pixels. */
export function scale({ from, to }, start, end) {
  return (value) => start + ((end - start) * (value - from)) / (to - from || 1);
}

/** The smallest of 1, 2, 5, 10, 20, … (and of their decimal fractions) that is not below `size`. */
function roundStep(size) {
  const power = 10 ** Math.floor(Math.log10(size || 1));
  return withoutNoise([1, 2, 5, 10].find((factor) => factor * power >= size * (1 - ROUNDING)) * power);
}

const ROUNDING = 1e-9;

/** 0.30000000000000004 becomes 0.3. */
function withoutNoise(value) {
  return Number(value.toPrecision(12));
}
