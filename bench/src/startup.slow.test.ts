import { expect, it } from 'vitest';
import { benchStartup } from './startup.ts';

it('runs the command in a workspace of its own', { timeout: 120_000 }, async () => {
  const { rows, summary } = await benchStartup();
  expect(rows.map(({ label }) => label)).toEqual([
    'node -e 0',
    'longhaul --help',
    'longhaul run, one short answer',
  ]);
  expect(summary['runPeakMb']).toBeLessThan(130);
});
