import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import { expect, it } from 'vitest';

/** Creates objects that live for a while, and prints the largest size of the space for young objects, in megabytes. */
const PROGRAM = `
const v8 = require('node:v8');
const young = () => v8.getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').space_size;
async function main() {
  const { boundMemory } = await import(process.argv[2]);
  if (process.argv[1] === 'bound') boundMemory();
  const kept = [];
  let largest = 0;
  for (let round = 0; round < 200; round += 1) {
    kept[round % 20] = Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'x' + index }));
    largest = Math.max(largest, young());
    await new Promise((resolve) => setImmediate(resolve));
  }
  console.log(largest / 1_048_576);
}
main();
`;

async function largestMb(how: 'bound' | 'free'): Promise<number> {
  const module = new URL('./bound-memory.ts', import.meta.url).href;
  const args = [...FROM_SOURCE, '-e', PROGRAM, how, module];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

it('stops the growth of the space for young objects', async () => {
  expect(await largestMb('free')).toBeGreaterThan(64);
  expect(await largestMb('bound')).toBeLessThan(64);
});
