import { describe, expect, it } from 'vitest';
import { chartModel } from './usage-chart-model.ts';

describe('chartModel', () => {
  it('places steps and compactions', () => {
    const steps = [
      { sequence: 2, tokens: 50 },
      { sequence: 4, tokens: 100 },
      { sequence: 6 },
      { sequence: 8, tokens: 25 },
    ];
    const { points, compactions, top } = chartModel(steps, { compactedAfter: [7, 9] });
    expect(top).toBe(100);
    expect(points.map(({ x, y }) => [x, y])).toEqual([
      [0, 0.5],
      [0.5, 1],
      [1, 0.25],
    ]);
    expect(compactions).toEqual([0.75, 1]);
  });

  it('keeps the ends of every saw tooth of a long session', () => {
    const steps = Array.from({ length: 10_000 }, (_, index) => ({
      sequence: index,
      tokens: index === 5_000 ? 9_999 : index === 5_001 ? 1 : 500,
    }));
    const { points } = chartModel(steps, { compactedAfter: [] });
    expect(points.length).toBeLessThanOrEqual(401);
    expect(points.map(({ tokens }) => tokens)).toEqual(expect.arrayContaining([9_999, 1]));
    expect(points.at(-1)?.sequence).toBe(9_999);
  });

  it('is empty without steps', () => {
    expect(chartModel([], { compactedAfter: [3] })).toEqual({ points: [], compactions: [1], top: 1 });
  });
});
