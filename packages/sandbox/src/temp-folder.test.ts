import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, stat, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeFolder } from '@longhaul/core/remove-folder';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { makeTempFolder, removeOrphanedTempFolders } from './temp-folder.ts';

// Other tests remove what dead processes left in the usual folder.
beforeEach(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-temp-'));
  vi.stubEnv('TMPDIR', folder);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    spawnSync('rm', ['-rf', folder]);
  });
});

/** 12,000 characters of nested folders, as a command can make step by step. The lowest cannot be written to. */
const NEST =
  'set -e; n=$(printf "d%.0s" $(seq 60)); for i in $(seq 200); do mkdir $n; cd $n; done; touch file; chmod 500 .';

function nestIn(folder: string) {
  expect(spawnSync('bash', ['-c', NEST], { cwd: folder }).status).toBe(0);
  onTestFinished(() => void spawnSync('rm', ['-rf', folder]));
}

test('removes folders that are nested deeper than a path can be long', async () => {
  const folder = await makeTempFolder('/absent');
  nestIn(folder);
  await removeFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test('removes what a dead process left, but nothing of a living process', async () => {
  const [, ...rest] = (await makeTempFolder('/absent')).split('.');
  const own = await makeTempFolder('/absent');
  const dead = await mkdtemp(
    join(tmpdir(), `longhaul-sandbox-4194303.${rest.join('.').replace(/-.*/, '')}-`),
  );
  nestIn(dead);
  await removeOrphanedTempFolders();
  expect(existsSync(dead)).toBe(false);
  expect((await stat(own)).isDirectory()).toBe(true);
  await removeFolder(own);
});

test('refuses a folder in which a command can write, even if a link leads there', async () => {
  const workspace = await makeTempFolder('/absent');
  await mkdir(join(workspace, 'tmp'));
  await symlink(workspace, `${workspace}-link`);
  for (const place of [join(workspace, 'tmp'), workspace, `${workspace}-link/tmp`]) {
    vi.stubEnv('TMPDIR', place);
    const made = await makeTempFolder(workspace);
    expect(made.startsWith(workspace)).toBe(false);
    await removeFolder(made);
  }
  await expect(makeTempFolder('/')).rejects.toMatchObject({ code: 'sandbox_unavailable' });
});
