import { expect, test } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--yes'];
const MESSAGES = ['alpha', 'bravo', 'charlie', 'delta', 'echo'];

/** The messages that a request to the model contains, each once. */
const named = (request: unknown) => JSON.stringify(request).match(new RegExp(MESSAGES.join('|'), 'g')) ?? [];

test('delivers five messages sent at the same moment once each, and answers all five', {
  timeout: 120_000,
}, async () => {
  await using bench = await Bench.open();
  let calls = 0;
  const { server, flags } = await bench.serve({
    script: () => {
      calls += 1;
      return `Answer ${calls}.`;
    },
  });
  expect(await bench.run(['run', 'Work', '--quiet', ...LOCAL, ...flags])).toMatchObject({ code: 0 });
  for (let round = 0; round < 3; round += 1) {
    const ended = await Promise.all(
      MESSAGES.map((message) =>
        bench.run([
          'run',
          '--session',
          'last',
          '--wait',
          '--quiet',
          `${message}-${round}`,
          ...LOCAL,
          ...flags,
        ]),
      ),
    );
    for (const { code, stdout, stderr } of ended) {
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(linesOf(stdout)).toEqual([expect.stringMatching(/^Answer \d+\.$/)]);
    }
    const sent = named(server.requests.at(-1)?.body).toSorted();
    expect(sent).toEqual(
      Array.from({ length: round + 1 }, () => MESSAGES)
        .flat()
        .toSorted(),
    );
  }
  expect((await bench.call(['queue', 'last'])).stdout).not.toMatch(/alpha|bravo|charlie|delta|echo/);
});
