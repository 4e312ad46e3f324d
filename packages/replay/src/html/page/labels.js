/** Half of a dot's size, with its outline. */
const DOT = 7;
const LINE_HEIGHT = 15;
const GAP = 4;
/** A label farther from its dot than this is joined to it by a line. */
const NEAR = 10;
const ROW = LINE_HEIGHT / 2;
const COLUMN = 24;
const MAX_COLUMNS = 6;
/** Makes a place above or below a dot cost as much as a farther one beside it. */
const ABOVE_OR_BELOW = 5;
/** For each other dot that is about as near to a label as its own. */
const MISLEADING = 80;
/** For each label or dot that the line to a label crosses, and each line that a label covers. */
const CROSSING = 40;
const MISSING = 10_000;

/**
 * Places a label for each point, as near to it as possible, so that labels overlap neither each other nor a dot, and
 * stay within `bounds`. A label for which there is no room is undefined.
 *
 * A point is `{x, y, width}`, with the width of its label. A label is `{left, right, top, bottom}`, and `line` from its
 * dot to it if it is not beside the dot.
 */
export function placeLabels(points, bounds) {
  const placesOf = points.map((point) => placesFor(point, points, bounds));
  const attempts = orders(points).map((order) => placeAll(placesOf, dotsOf(points), order));
  const best = attempts.toSorted((a, b) => a.cost - b.cost)[0];
  return points.map((_, index) => {
    const { place, line } = best.found[index] ?? {};
    return place && { ...place, line };
  });
}

export function overlaps(a, b) {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

export function dotsOf(points) {
  return points.map(({ x, y }) => box(x - DOT, y - DOT, 2 * DOT, 2 * DOT));
}

/** Orders in which to place the labels. The first one gets the best place, so each point is the first one once. */
function orders(points) {
  const indices = points.map((_, index) => index);
  const byX = indices.toSorted((a, b) => points[a].x - points[b].x);
  const byY = indices.toSorted((a, b) => points[a].y - points[b].y);
  const rotated = indices.map((start) => [...byX.slice(start), ...byX.slice(0, start)]);
  return [...rotated, byX.toReversed(), byY, byY.toReversed()];
}

function placeAll(placesOf, dots, order) {
  const taken = [...dots];
  const lines = [];
  const found = [];
  let total = 0;
  for (const index of order) {
    const { best, cost } = cheapest(placesOf[index], taken, lines);
    found[index] = best;
    total += cost;
    if (best !== undefined) taken.push(best.place);
    if (best?.line !== undefined) lines.push(best.line);
  }
  return { found, cost: total };
}

/** Returns the free place that costs least, with its crossings. The places are sorted by their cost without these. */
function cheapest(places, taken, lines) {
  let best;
  let cost = MISSING;
  for (const candidate of places) {
    if (candidate.cost >= cost) break;
    const { place, line } = candidate;
    if (taken.some((other) => overlaps(place, other))) continue;
    const crossings =
      lines.filter((other) => crosses(other, place)).length +
      (line === undefined ? 0 : taken.filter((other) => crosses(line, other)).length);
    if (candidate.cost + crossings * CROSSING >= cost) continue;
    best = candidate;
    cost = candidate.cost + crossings * CROSSING;
  }
  return { best, cost };
}

/** The places within bounds, the cheapest first: to the right of the point, then to its left, above it and below it. */
function placesFor(point, points, bounds) {
  const { x, y, width } = point;
  const middle = Math.max(bounds.left, Math.min(bounds.right - width, x - width / 2));
  const rows = Math.ceil((bounds.bottom - bounds.top) / ROW);
  const found = [];
  for (let row = -rows; row <= rows; row += 1) {
    for (let column = 0; column <= MAX_COLUMNS; column += 1) {
      const shift = column * COLUMN;
      const beside = DOT + GAP + shift;
      for (const left of [x + beside, x - beside - width, middle + shift, middle - shift]) {
        const place = box(left, y + row * ROW - LINE_HEIGHT / 2, width, LINE_HEIGHT);
        if (!isWithin(place, bounds)) continue;
        const away = distance(point, place);
        const nearer = points.filter((other) => other !== point && distance(other, place) <= away + GAP);
        const detour = shift * 0.3 + (row === 0 ? 0 : ABOVE_OR_BELOW);
        const line = away > DOT + NEAR ? lineTo(point, place) : undefined;
        found.push({ place, line, cost: away + detour + nearer.length * MISLEADING });
      }
    }
  }
  return found.sort((a, b) => a.cost - b.cost);
}

function box(left, top, width, height) {
  return { left, right: left + width, top, bottom: top + height };
}

function isWithin(inner, outer) {
  return (
    inner.left >= outer.left &&
    inner.right <= outer.right &&
    inner.top >= outer.top &&
    inner.bottom <= outer.bottom
  );
}

function distance(point, place) {
  const { x, y } = nearest(point, place);
  return Math.hypot(x - point.x, y - point.y);
}

function nearest({ x, y }, { left, right, top, bottom }) {
  return { x: Math.min(Math.max(x, left), right), y: Math.min(Math.max(y, top), bottom) };
}

/** Whether a line from a dot passes through a box. A box at the dot does not count. */
function crosses({ x1, y1, x2, y2 }, { left, right, top, bottom }) {
  if (x1 > left && x1 < right && y1 > top && y1 < bottom) return false;
  const [enterX, leaveX] = span(x1, x2 - x1, left, right);
  const [enterY, leaveY] = span(y1, y2 - y1, top, bottom);
  return Math.max(0, enterX, enterY) < Math.min(1, leaveX, leaveY);
}

/** The part of a line, from 0 to 1, that is between two bounds in one direction. */
function span(start, length, low, high) {
  if (length === 0) return start > low && start < high ? [0, 1] : [1, 0];
  const ends = [(low - start) / length, (high - start) / length];
  return length > 0 ? ends : ends.toReversed();
}

function lineTo(point, place) {
  const end = nearest(point, place);
  return { x1: point.x, y1: point.y, x2: end.x, y2: end.y };
}
