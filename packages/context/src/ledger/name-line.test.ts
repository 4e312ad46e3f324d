import { expect, it } from 'vitest';
import { NameLine } from './name-line.ts';

function lineOf(...names: string[]): NameLine {
  const line = new NameLine();
  for (const name of names) line.add(name, line.within(name));
  return line;
}

it('has its names and every part of them, but no text across two names', () => {
  const line = lineOf('parseTask', 'queue.push');
  expect(['parseTask', 'Task', 'queue.push'].map((name) => line.has(name))).toEqual([true, true, true]);
  expect(line.has('Taskqueue')).toBe(false);
  expect(line.has('parseTasks')).toBe(false);
});

it('replaces the names that a longer one contains', () => {
  const line = lineOf('parse', 'queue', 'parseTask');
  expect(line.names).toEqual(['queue', 'parseTask']);
  expect(line.has('parse')).toBe(true);
});
