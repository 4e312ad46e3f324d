import { expect, it, vi } from 'vitest';
import { BackgroundQuery } from './background-query.ts';

function open() {
  const written: string[] = [];
  const colors: unknown[] = [];
  const query = new BackgroundQuery({
    write: (text) => written.push(text),
    onAnswer: (color) => colors.push(color),
  });
  return { query, written, colors };
}

it('asks for the color, and for an answer that every terminal gives', async () => {
  const { query, written, colors } = open();
  await query.answered;
  query.ask();
  expect(written).toEqual(['\u001b]11;?\u0007\u001b[c']);
  expect(query.take('\u001b]11;rgb:ffff/8080/0000\u001b\\')).toBe(true);
  expect(query.take('\u001b[?62;22c')).toBe(true);
  await query.answered;
  expect(colors).toEqual([{ r: 255, g: 128, b: 0 }]);
});

it('stops waiting for a terminal that never answers, and still accepts a late answer', async () => {
  vi.useFakeTimers();
  const { query, colors } = open();
  query.ask();
  vi.advanceTimersByTime(1_000);
  await query.answered;
  vi.useRealTimers();
  expect(query.take('\u001b]11;#000000\u0007')).toBe(true);
  expect(query.take('\u001b[?1;2c')).toBe(true);
  expect(colors).toEqual([{ r: 0, g: 0, b: 0 }]);
});

it('consumes an answer that it cannot read, and passes on keys and texts', () => {
  const { query, colors } = open();
  query.ask();
  expect(query.take('\u001b]11;unknown\u0007')).toBe(true);
  expect(colors).toEqual([]);
  for (const input of ['c', '\u001b', '\u001b[A', '\u001b[99;5u', '11;rgb:ff/ff/ff', 'text'])
    expect(query.take(input)).toBe(false);
});
