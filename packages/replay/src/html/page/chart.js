import { shape } from './dom.js';

export const PLOT = { width: 1060, height: 340, left: 56, right: 20, top: 14, bottom: 40 };

export function scale(max, from, to) {
  return (value) => from + ((to - from) * value) / (max || 1);
}

export function axes({ x, y, xTicks, yTicks, xName, yName }) {
  const { width, height, left, right, bottom } = PLOT;
  return [
    ...yTicks.flatMap(([value, name]) => [
      shape('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      shape('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, name),
    ]),
    ...xTicks.map(([value, name]) =>
      shape('text', { x: x(value), y: height - bottom + 18, 'text-anchor': 'middle' }, name),
    ),
    shape('text', { x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle' }, xName),
    shape('text', { x: left, y: 4, 'text-anchor': 'start' }, yName),
  ];
}

export function ticks(max, count, format) {
  const rough = max / count;
  const power = 10 ** Math.floor(Math.log10(rough || 1));
  const size = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const found = [];
  for (let value = 0; value <= max; value += size) found.push([value, format(value)]);
  return found;
}
