import { scale } from './axis.js';
import { shape } from './dom.js';
import { state } from './state.js';

/** The chart is as wide as the page lets it be, in pixels, so that its text has the same size on any screen. */
export function plotSize() {
  const width = state.chartWidth;
  return { width, height: width < 700 ? 310 : 340, left: 52, right: 14, top: 26, bottom: 42 };
}

export function chart(size, name, ...children) {
  return shape(
    'svg',
    { viewBox: `0 0 ${size.width} ${size.height}`, role: 'img', 'aria-label': name },
    ...children,
  );
}

/** Maps an axis to the width of the plot, and another one to its height. */
export function scales({ width, height, left, right, top, bottom }, { x, y }) {
  return { x: scale(x, left, width - right), y: scale(y, height - bottom, top) };
}

export function axes({ width, height, left, right, bottom }, { x, y, xTicks, yTicks, xName, yName }) {
  return [
    ...yTicks.flatMap(([value, name]) => [
      shape('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }),
      shape('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, name),
    ]),
    ...xTicks.map(([value, name]) =>
      shape('text', { x: x(value), y: height - bottom + 18, 'text-anchor': 'middle' }, name),
    ),
    shape('text', { x: (left + width - right) / 2, y: height - 6, 'text-anchor': 'middle' }, xName),
    shape('text', { x: 0, y: 12, 'text-anchor': 'start' }, yName),
  ];
}

/** The width of a text as the charts draw it, in pixels. */
export function textWidth(text) {
  context.font = '12px system-ui, sans-serif';
  return context.measureText(text).width;
}

const context = document.createElement('canvas').getContext('2d');
