import { writeFile } from 'node:fs/promises';
import { createPersonaServer, type Script } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

/** Reads as many pages of numbers as no window of 8,192 tokens holds. */
const reader: Script = ({ messages, asksForSummary }) => {
  if (asksForSummary) return 'Numbers were read; more of them are to be read.';
  const task = messages.findLastIndex(
    (message) => message.role === 'user' && JSON.stringify(message.content).includes('Read all'),
  );
  const told = JSON.stringify(messages);
  const page = [...told.matchAll(/PAGE-(\d+)/g)].reduce(
    (most, [, number]) => Math.max(most, Number(number)),
    0,
  );
  if (task !== -1 && page >= 12) return 'All read.';
  const command = `echo PAGE-${page + 1}; seq ${1000 + page * 300} ${1299 + page * 300}`;
  return { toolCalls: [{ name: 'bash', arguments: { command } }] };
};

it('learns a window loaded as 8,192 and configured as 65,536 from one refusal, and the next process remembers it', async () => {
  await using bench = await Bench.open();
  const silent = { persona: 'vllm', reportsWindow: false } as const;
  await using server = await createPersonaServer({ ...silent, script: reader, windowTokens: 8_192 });
  await writeFile(
    bench.userFile,
    `model: 'mine/${server.model}'
providers: { mine: { baseUrl: '${server.url}', models: { '${server.model}': { window: 65536, maxOutput: 2000 } } } }
`,
  );
  const run = async () => {
    const before = server.overflows;
    const ended = await bench.run(['run', 'Read all', '--json', '--sandbox', 'local']);
    expect(ended.stderr).toBe('');
    const events = eventsOf(ended);
    expect(events.findLast((event) => event.type === 'run:finished')).toMatchObject({
      status: 'completed',
      text: 'All read.',
    });
    const windows = events
      .filter((event) => event.type === 'context:usage')
      .map((event) => event.windowTokens);
    return { refusals: server.overflows - before, first: windows[0], last: windows.at(-1) };
  };
  expect(await run()).toEqual({ refusals: 1, first: 65_536, last: 8_192 });
  expect(await run()).toEqual({ refusals: 0, first: 8_192, last: 8_192 });
});

it('detects and reports a window that Ollama silently loaded smaller than configured', async () => {
  await using bench = await Bench.open();
  await using server = await createPersonaServer({ persona: 'ollama', script: reader, windowTokens: 8_192 });
  // Not in memory yet, so that the start learns nothing of its window.
  server.reload(undefined);
  await writeFile(
    bench.userFile,
    `model: 'ollama/${server.model}'
providers: { ollama: { baseUrl: '${server.url}', models: { '${server.model}': { window: 65536, maxOutput: 2000 } } } }
`,
  );
  const ended = await bench.call(['run', 'Read all', '--json', '--sandbox', 'local']);
  const events = eventsOf(ended);
  expect(events.findLast((event) => event.type === 'run:finished')).toMatchObject({
    status: 'completed',
    text: 'All read.',
  });
  const warnings = events.filter((event) => event.type === 'context:warning').map((event) => event.message);
  expect(warnings.join('\n')).toMatch(/silently dropped the oldest messages.*a window of 8192 tokens/);
  expect(server.overflows).toBeLessThanOrEqual(1);
  expect(events.findLast((event) => event.type === 'context:usage')).toMatchObject({ windowTokens: 8_192 });
});
