export const percent = (share) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);

export function tokens(count) {
  if (count < 1000) return String(Math.round(count));
  const [size, unit] = count < 999_500 ? [count / 1000, 'k'] : [count / 1_000_000, 'M'];
  return `${Number(size.toFixed(unit === 'M' ? 2 : size < 10 ? 1 : 0))}${unit}`;
}

/** Names ticks in per cent with as many digits as they differ by. */
export function percentTicks({ step, ticks }) {
  return ticks.map((tick) => [tick, `${(tick * 100).toFixed(digitsOf(step * 100))} %`]);
}

/** Names ticks in one unit (tokens, thousands, millions) with as many digits as they differ by. */
export function tokenTicks({ step, to, ticks }) {
  const [size, unit] = to >= 1_000_000 ? [1_000_000, 'M'] : to >= 1000 ? [1000, 'k'] : [1, ''];
  return ticks.map((tick) => [
    tick,
    tick === 0 ? '0' : `${(tick / size).toFixed(digitsOf(step / size))}${unit}`,
  ]);
}

function digitsOf(step) {
  return Math.max(0, Math.ceil(-Math.log10(step) - 1e-9));
}
