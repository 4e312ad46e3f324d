import { countSteps } from '@longhaul/testing/steps';
import fc from 'fast-check';
import { expect, it, onTestFinished, vi } from 'vitest';
import { splitOutput } from './split-output.ts';

async function* chunksOf(bytes: Buffer, cuts: readonly number[]) {
  let start = 0;
  for (const cut of [...cuts.toSorted((left, right) => left - right), bytes.length]) {
    yield bytes.subarray(start, cut);
    start = cut;
  }
}

it('yields the same texts wherever the output is split into chunks', async () => {
  const bytes = Buffer.from('a\nb\0 1:é\0x\n\0\nc\0half');
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(bytes.length)), async (cuts) => {
      const texts = await Array.fromAsync(splitOutput(chunksOf(bytes, cuts), [0, 0x0a]));
      expect(texts).toEqual(['a\nb', ' 1:é\0x', '', '', 'c']);
      const paths = await Array.fromAsync(splitOutput(chunksOf(bytes, cuts), [0]));
      expect(paths).toEqual(['a\nb', ' 1:é', 'x\n', '\nc']);
    }),
  );
});

it('copies each byte once, and takes steps in proportion to the chunks of one text', async () => {
  const work = async (chunks: number) => {
    const bytes = Buffer.concat([Buffer.alloc(chunks * 8, 'x'), Buffer.from([0])]);
    const cuts = Array.from({ length: chunks }, (_, index) => index * 8);
    const texts = await Array.fromAsync(splitOutput(chunksOf(bytes, cuts), [0]));
    expect(texts.map((text) => text.length)).toEqual([chunks * 8]);
  };
  const steps = await countSteps(() => work(200));
  expect(await countSteps(() => work(2_000))).toBeLessThan(steps * 11);

  const concat = vi.spyOn(Buffer, 'concat');
  onTestFinished(() => concat.mockRestore());
  await work(2_000);
  const copied = concat.mock.results.map(({ value }) => value.length);
  // The test's own buffer, and the text.
  expect(copied).toEqual([16_001, 16_000]);
});
