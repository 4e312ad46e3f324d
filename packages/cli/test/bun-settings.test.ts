import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findBun, lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';

const BIN = fileURLToPath(new URL('../bin/longhaul.js', import.meta.url));

it('refuses to start under Bun in a folder whose .env or bunfig.toml Bun has read, and names the flags', async ({
  skip,
}) => {
  const bun = await findBun();
  if (bun === undefined) return lacks('bun', 'no working Bun was found in node_modules or on the PATH', skip);
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-bun-'));
  const start = (...flags: string[]) =>
    new Promise<string>((resolve) => {
      const env = { PATH: process.env['PATH'], HOME: folder };
      execFile(bun, [...flags, BIN, '--version'], { cwd: folder, env }, (_, stdout, stderr) => {
        resolve(stdout + stderr);
      });
    });
  try {
    await writeFile(join(folder, 'bunfig.toml'), 'preload = ["./evil.js"]\n');
    await writeFile(join(folder, 'evil.js'), 'console.log("EVIL");\n');
    await writeFile(join(folder, '.env'), 'X=1\n');
    expect(await start()).toContain('longhaul: Bun has read .env, bunfig.toml of this folder');
    expect(await start('--no-env-file')).toContain('Bun has read bunfig.toml of this folder');
    expect(await start('--no-env-file', '--config=/dev/null')).toMatch(/^\d+\.\d+\.\d+\n$/);
  } finally {
    await rm(folder, { recursive: true });
  }
});
