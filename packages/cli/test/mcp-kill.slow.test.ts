import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hasToolCall } from '@longhaul/scripted-model';
import { processExists } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const SERVER = fileURLToPath(new URL('../../mcp/test/hostile-server.ts', import.meta.url));

it('a server that ignores every signal and its closed input is ended after kill -9 of its run', async () => {
  await using bench = await Bench.open();
  const file = join(bench.root, 'pids');
  const pids = async () => (await readFile(file, 'utf8')).split(' ').map(Number);
  const server = { command: process.execPath, args: [SERVER, 'stubborn', file] };
  await writeFile(bench.userFile, JSON.stringify({ mcp: { servers: { x: server } } }));
  const called = Promise.withResolvers<void>();
  const { flags } = await bench.serve({
    script: async ({ messages, number }) => {
      if (!hasToolCall(messages, 'x_go')) return { toolCalls: [{ name: 'x_go', arguments: '{}' }] };
      if (number === 2) {
        called.resolve();
        await new Promise(() => {});
      }
      return 'Done.';
    },
  });
  const running = bench.start(['run', 'Go', '--sandbox', 'local', '--json', ...flags]);
  await called.promise;
  const first = await pids();
  running.child.kill('SIGKILL');
  await running.ended;
  expect(first.map(processExists)).toEqual([true, true]);
  const resumed = await bench.run(['resume', 'last', '--json']);
  expect(eventsOf(resumed).findLast(({ type }) => type === 'run:finished')).toMatchObject({
    status: 'completed',
  });
  await expect.poll(() => first.map(processExists)).toEqual([false, false]);
  await expect.poll(async () => (await pids()).map(processExists)).toEqual([false, false]);
});
