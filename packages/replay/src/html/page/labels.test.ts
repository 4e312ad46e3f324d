import fc from 'fast-check';
import { expect, it } from 'vitest';

interface Box {
  left: number;
  right: number;
  top: number;
  bottom: number;
}
interface Point {
  x: number;
  y: number;
  width: number;
}
type Label = Box & { line?: { x1: number; y1: number; x2: number; y2: number } };

// The page's modules have no types.
const {
  dotsOf,
  overlaps,
  placeLabels,
}: {
  dotsOf: (points: Point[]) => Box[];
  overlaps: (a: Box, b: Box) => boolean;
  placeLabels: (points: Point[], bounds: Box) => (Label | undefined)[];
} = await import(new URL('./labels.js', import.meta.url).href);

const DESKTOP = { left: 52, right: 1_024, top: 18, bottom: 298 };
const PHONE = { left: 52, right: 315, top: 18, bottom: 268 };

it('places a label to the right of its dot', () => {
  expect(placeLabels([{ x: 200, y: 100, width: 80 }], DESKTOP)).toMatchObject([
    { left: 211, right: 291, line: undefined },
  ]);
});

it('places a label to the left of a dot at the right edge', () => {
  const [label] = placeLabels([{ x: 1_020, y: 100, width: 80 }], DESKTOP);
  expect(label?.right).toBe(1_009);
});

it('joins a label to its dot by a line if it is not beside it', () => {
  const points = Array.from({ length: 9 }, () => ({ x: 200, y: 100, width: 80 }));
  const labels = placeLabels(points, DESKTOP);
  expect(labels.filter((label) => label?.line !== undefined).length).toBeGreaterThan(0);
});

it('keeps a label away from the dot of another', () => {
  const points = [
    { x: 200, y: 100, width: 80 },
    { x: 300, y: 100, width: 80 },
  ];
  const [first] = placeLabels(points, DESKTOP);
  expect(first?.right).toBeLessThan(290);
});

it.each([
  ['a wide chart', DESKTOP, 14],
  ['a narrow chart', PHONE, 10],
])('never lets labels overlap labels or dots, or leave %s', (_, bounds, maxPoints) => {
  const point = fc.record({
    x: fc.double({ min: bounds.left, max: bounds.right, noNaN: true }),
    y: fc.double({ min: bounds.top, max: bounds.bottom, noNaN: true }),
    width: fc.integer({ min: 50, max: 125 }),
  });
  const close = fc
    .array(fc.record({ dx: fc.integer({ min: 0, max: 12 }), width: fc.integer({ min: 50, max: 125 }) }), {
      maxLength: maxPoints,
    })
    .map((near) =>
      near.map(({ dx, width }) => ({ x: bounds.left + 150 + dx, y: bounds.top + 20 + dx, width })),
    );
  fc.assert(
    fc.property(fc.oneof(fc.array(point, { maxLength: maxPoints }), close), (points) => {
      const labels = placeLabels(points, bounds);
      expect(labels).toHaveLength(points.length);
      const placed = labels.filter((label) => label !== undefined);
      expect(placed).toHaveLength(points.length);
      const boxes: Box[] = [...dotsOf(points), ...placed];
      for (const [index, label] of placed.entries()) {
        expect(label.left).toBeGreaterThanOrEqual(bounds.left);
        expect(label.right).toBeLessThanOrEqual(bounds.right);
        expect(label.top).toBeGreaterThanOrEqual(bounds.top);
        expect(label.bottom).toBeLessThanOrEqual(bounds.bottom);
        for (const [other, box] of boxes.entries())
          if (other !== points.length + index) expect(overlaps(label, box)).toBe(false);
      }
    }),
    { numRuns: 20 },
  );
});
