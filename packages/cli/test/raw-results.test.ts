import { writeFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

it.each([true, false])(
  'adds raw results to the events of a run with tools.rawResults: %s',
  async (rawResults) => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ number }) =>
        number === 1 ? { toolCalls: [{ name: 'glob', arguments: { pattern: '*' } }] } : 'Done.',
    });
    await writeFile(bench.userFile, JSON.stringify({ tools: { rawResults } }));
    const ended = await bench.call(['run', 'Look.', '--json', '--sandbox', 'local', ...flags]);
    const result = eventsOf(ended).find((event) => event.type === 'llm:tool-result');
    expect(result).toMatchObject({ success: true });
    expect(result?.rawResult).toEqual(rawResults ? result?.sanitized : undefined);
  },
);
