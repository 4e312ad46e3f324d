import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBun, lacks } from '@longhaul/testing/machine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runProgram } from '../../test/support.ts';
import { machineUptime } from '../shared/machine-uptime.ts';

const SUITE = fileURLToPath(new URL('./sqlite-store.bun.test.ts', import.meta.url));

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-bun-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('passes the store contract under Bun, on bun:sqlite', { timeout: 120_000 }, async ({ skip }) => {
  const bun = await findBun();
  if (bun === undefined) return lacks('bun', 'no working Bun was found in node_modules or on the PATH', skip);
  const { code, output } = await runProgram(bun, ['--conditions=longhaul-src', 'test', SUITE], {
    env: { TMPDIR: folder },
  });
  assert.equal(code, 0, output);
  // A suite without any tests would pass too.
  assert.match(output, /\b(?:[4-9]\d|\d{3}) pass\b/);
  assert.match(output, /\b0 fail\b/);
});

it('reads the same uptime as Node.js, so that both can share a database', async ({ skip }) => {
  const bun = await findBun();
  if (bun === undefined) return lacks('bun', 'no working Bun was found in node_modules or on the PATH', skip);
  const module = JSON.stringify(new URL('../shared/machine-uptime.ts', import.meta.url).pathname);
  const program = `import { machineUptime } from ${module}; console.log(machineUptime());`;
  const before = machineUptime();
  const { output } = await runProgram(bun, ['-e', program], { env: { TMPDIR: folder } });
  expect(Number(output)).toBeGreaterThanOrEqual(before);
  expect(Number(output)).toBeLessThanOrEqual(machineUptime());
});
