import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { addAgentFolder, findHostProgram, hostPath } from './host-programs.ts';

async function openFolders() {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'longhaul-host-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const [workspace, tools] = [join(root, 'workspace'), join(root, 'tools')];
  const plant = async (folder: string, name: string) => {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, name), '#!/bin/sh\n');
    await chmod(join(folder, name), 0o755);
    return join(folder, name);
  };
  await mkdir(workspace);
  return { root, workspace, tools, plant };
}

test('finds a program in PATH, but none below a folder in which an agent can write', async () => {
  const { workspace, tools, plant } = await openFolders();
  const planted = await plant(join(workspace, '.venv/bin'), 'only-here');
  const path = [join(workspace, '.venv/bin'), tools].join(delimiter);
  expect(findHostProgram('only-here', path)).toBe(planted);
  addAgentFolder(workspace);
  expect(findHostProgram('only-here', path)).toBeUndefined();
  const installed = await plant(tools, 'only-here');
  expect(findHostProgram('only-here', path)).toBe(installed);
});

test('follows links of folders, of programs and of the workspace', async () => {
  const { root, workspace, tools, plant } = await openFolders();
  const planted = await plant(join(workspace, 'bin'), 'linked');
  await symlink(join(workspace, 'bin'), join(root, 'alias'));
  await mkdir(tools);
  await symlink(planted, join(tools, 'linked'));
  await symlink(workspace, join(root, 'by-link'));
  addAgentFolder(join(root, 'by-link'));
  expect(
    findHostProgram('linked', [join(root, 'alias'), tools, join(root, 'by-link/bin')].join(delimiter)),
  ).toBeUndefined();
});

test('prefers the folders of the system, and ignores relative folders and files that are not executable', async () => {
  const { tools, plant } = await openFolders();
  const shadow = await plant(tools, 'sh');
  expect(findHostProgram('sh', [tools, '/usr/bin', '/bin'].join(delimiter))).toMatch(/^\/(usr\/)?bin\/sh$/);
  expect(findHostProgram('sh', ['.', '', 'bin', tools].join(delimiter))).toBe(shadow);
  await chmod(shadow, 0o644);
  expect(findHostProgram('sh', tools)).toBeUndefined();
});

test('leaves folders in which an agent can write out of the PATH of other programs', async () => {
  const { root, workspace, tools, plant } = await openFolders();
  await plant(join(workspace, 'bin'), 'any');
  await symlink(join(workspace, 'bin'), join(root, 'bin-by-link'));
  addAgentFolder(workspace);
  const path = [join(workspace, 'bin'), join(root, 'bin-by-link'), tools, '.', '', 'relative', '/usr/bin'];
  expect(hostPath(path.join(delimiter))).toBe(['/usr/bin', tools].join(delimiter));
});
