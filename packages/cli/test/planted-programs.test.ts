import { existsSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const PATHS = [`.:${process.env['PATH']}`, `:${process.env['PATH']}`, '.', ''];

it.each(PATHS)('runs no program of the workspace if PATH is "%s"', async (path) => {
  await using bench = await Bench.open();
  const proof = join(bench.root, 'ran');
  for (const name of ['git', 'rg', 'bwrap', 'docker']) {
    const planted = join(bench.workspace, name);
    await writeFile(planted, `#!/bin/sh\necho "$0" >> '${proof}'\n`);
    await chmod(planted, 0o755);
  }
  const { stdout } = await bench.start(['doctor', '--json'], { env: { PATH: path } }).ended;
  if (path.includes('/')) expect(stdout).toContain('git version');
  expect(existsSync(proof)).toBe(false);
});
