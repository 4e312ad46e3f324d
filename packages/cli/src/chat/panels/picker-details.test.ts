import { LonghaulError } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { DetailsReader } from './picker-details.ts';

/** A reader whose answers are given by hand, and the items that it asked for. */
function open(count: number) {
  const asked: number[] = [];
  const changed: number[] = [];
  const answers: ((line: string) => void)[] = [];
  const reader = new DetailsReader(
    count,
    async (index) => {
      asked.push(index);
      const line = await new Promise<string>((resolve) => answers.push(resolve));
      if (line === 'fails') throw new LonghaulError('not_found', 'It was deleted.');
      return { line, preview: [] };
    },
    (index) => changed.push(index),
  );
  const answer = async (line: string) => {
    answers.shift()?.(line);
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { reader, asked, changed, answer };
}

it('reads one item after another, the selected one first', async () => {
  const { reader, asked, changed, answer } = open(4);
  reader.select(0);
  reader.select(2);
  await answer('zero');
  await answer('two');
  await answer('one');
  expect(asked).toEqual([0, 2, 1, 3]);
  expect(changed).toEqual([0, 2, 1]);
  expect(reader.of(2)?.line).toBe('two');
});

it('shows a failure in place of the details, and stops reading after the end', async () => {
  const { reader, asked, answer } = open(3);
  reader.select(0);
  await answer('fails');
  expect(reader.of(0)?.line).toBe('It was deleted.');
  reader.end();
  await answer('one');
  expect(asked).toEqual([0, 1]);
});
