import { describe, expect, it } from 'vitest';

interface Axis {
  from: number;
  to: number;
  step: number;
  ticks: number[];
}
interface AxisOptions {
  count: number;
  minSpan: number;
  min?: number;
  max?: number;
}

// The page's modules have no types.
const {
  fittedAxis,
  scale,
  ticksFromZero,
}: {
  fittedAxis: (values: number[], options: AxisOptions) => Axis;
  scale: (axis: { from: number; to: number }, start: number, end: number) => (value: number) => number;
  ticksFromZero: (max: number, count: number) => number[];
} = await import(new URL('./axis.js', import.meta.url).href);
const {
  percentTicks,
  tokenTicks,
}: Record<'percentTicks' | 'tokenTicks', (axis: Axis) => [number, string][]> = await import(
  new URL('./format.js', import.meta.url).href
);

const shares = { count: 5, minSpan: 0.01, min: 0, max: 1 };

describe('an axis fitted to values', () => {
  it('spans the values with padding, between round ticks', () => {
    expect(fittedAxis([0.845, 0.869], shares)).toEqual({
      from: 0.84,
      to: 0.88,
      step: 0.01,
      ticks: [0.84, 0.85, 0.86, 0.87, 0.88],
    });
    expect(fittedAxis([4_170_000, 4_770_000], { count: 8, minSpan: 1, min: 0 })).toMatchObject({
      from: 4_000_000,
      to: 4_900_000,
      step: 100_000,
    });
  });

  it('stays within its bounds', () => {
    expect(fittedAxis([0, 1], shares)).toMatchObject({ from: 0, to: 1 });
    expect(fittedAxis([0.999, 1], shares).to).toBe(1);
    expect(fittedAxis([0, 0.001], shares).from).toBe(0);
  });

  it('keeps the smallest span for equal values', () => {
    const axis = fittedAxis([0.5, 0.5], shares);
    expect(axis.to - axis.from).toBeGreaterThanOrEqual(0.01);
    expect(axis.to - axis.from).toBeLessThan(0.03);
    expect(fittedAxis([1, 1, 1], shares).ticks.length).toBeGreaterThan(1);
  });

  it.each([[[0.1, 0.3, 0.99]], [[0.86891, 0.86892]], [[123, 4567]], [[1, 98_765_432]], [[0]]])(
    'covers %j and uses at least half of its length',
    (values) => {
      const span = Math.max(...values) - Math.min(...values);
      const axis = fittedAxis(values, { count: 6, minSpan: span / 10 || 1, min: 0 });
      expect(axis.from).toBeLessThanOrEqual(Math.min(...values));
      expect(axis.to).toBeGreaterThanOrEqual(Math.max(...values));
      if (span > 0) expect(span / (axis.to - axis.from)).toBeGreaterThan(0.5);
      expect(axis.ticks.length).toBeGreaterThan(2);
      expect(axis.ticks.length).toBeLessThan(12);
    },
  );

  it('names its ticks with as many digits as they differ by', () => {
    const names = (ticks: [number, string][]) => ticks.map(([, name]) => name);
    expect(names(percentTicks(fittedAxis([0.845, 0.869], shares)))).toEqual([
      '84 %',
      '85 %',
      '86 %',
      '87 %',
      '88 %',
    ]);
    expect(
      new Set(names(percentTicks(fittedAxis([0.8451, 0.8452], { ...shares, minSpan: 0.0001 })))).size,
    ).toBeGreaterThan(3);
    const costs = tokenTicks(fittedAxis([4_170_000, 4_190_000], { count: 5, minSpan: 1 }));
    expect(new Set(names(costs)).size).toBe(costs.length);
    expect(names(costs)[0]).toMatch(/^4\.\d\d\d?M$/);
  });
});

it('maps an axis to pixels in both directions', () => {
  const down = scale({ from: 10, to: 20 }, 300, 0);
  expect([10, 15, 20].map(down)).toEqual([300, 150, 0]);
  expect(scale({ from: 5, to: 5 }, 0, 100)(5)).toBe(0);
});

it('makes ticks from 0 to the last round number', () => {
  expect(ticksFromZero(468, 8)).toEqual([0, 100, 200, 300, 400]);
  expect(ticksFromZero(0, 8)).toEqual([0]);
});
