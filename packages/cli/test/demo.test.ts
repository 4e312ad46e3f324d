import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';

describe('longhaul demo', () => {
  it('builds the application in a small window, proves it with its tests, and leaves nothing behind', async () => {
    await using bench = await Bench.open();
    const ended = await bench.run(['demo', '--json']);
    const lines = linesOf(ended.stdout);
    const outcome = JSON.parse(lines.at(-1) ?? '');
    expect(outcome).toEqual({
      status: 'completed',
      steps: expect.any(Number),
      compactions: expect.any(Number),
      overflows: 0,
      verified: true,
    });
    expect(outcome.compactions).toBeGreaterThanOrEqual(2);
    expect(ended.code).toBe(0);
    const events = eventsOf({ ...ended, stdout: lines.slice(0, -1).join('\n') });
    expect(events.at(-2)).toMatchObject({ type: 'run:finished', status: 'completed' });
    expect((await readdir(bench.root)).filter((name) => name.startsWith('longhaul-demo-'))).toEqual([]);
    expect(await readdir(bench.home)).toEqual([]);
  }, 180_000);
});
