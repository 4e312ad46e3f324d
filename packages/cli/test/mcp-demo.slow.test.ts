import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { DEMO_TASK, demoScript } from '@longhaul/scripted-model/demo';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const SERVER = fileURLToPath(new URL('../../mcp/test/large-server.ts', import.meta.url));

it('completes the task of the demo in a window of 16,000 tokens with a server of 200 tools', async () => {
  const without = await play({});
  const tracker = { command: process.execPath, args: [SERVER] };
  const withServer = await play({ mcp: { servers: { tracker } } });
  for (const { finished, overflows } of [without, withServer]) {
    expect(finished).toMatchObject({ status: 'completed' });
    expect(overflows).toBe(0);
  }
  expect(withServer.finished?.compactions).toBeGreaterThanOrEqual(2);
  const added = withServer.fixedTokens - without.fixedTokens;
  expect(added).toBeGreaterThan(100);
  expect(added).toBeLessThanOrEqual(600);
});

async function play(config: object) {
  await using bench = await Bench.open();
  await writeFile(bench.userFile, JSON.stringify(config));
  const { server, flags } = await bench.serve({ script: demoScript, windowTokens: 16_000 });
  const ended = await bench.run([
    'run',
    DEMO_TASK,
    '--sandbox',
    'local',
    '--json',
    '--window',
    '16000',
    ...flags,
  ]);
  const events = eventsOf(ended);
  const usage = events.find((event) => event.type === 'context:usage');
  return {
    finished: events.find((event) => event.type === 'run:finished'),
    overflows: server.overflows,
    fixedTokens: (usage?.systemTokens ?? 0) + (usage?.toolTokens ?? 0),
  };
}
