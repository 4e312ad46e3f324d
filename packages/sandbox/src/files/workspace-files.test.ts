import { execFile } from 'node:child_process';
import {
  chmod,
  link,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { rememberRoot } from './root-folder.ts';
import { createWorkspaceFiles } from './workspace-files.ts';

const runProgram = promisify(execFile);

/** Mounts a file system of one megabyte. Undefined if this user may not mount one. */
async function mountSmall() {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  const mounted = await runProgram('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).then(
    () => true,
    () => false,
  );
  if (!mounted) {
    await rm(path, { recursive: true });
    return undefined;
  }
  return {
    path,
    makeReadOnly: () => runProgram('mount', ['-o', 'remount,ro', path]),
    async [Symbol.asyncDispose]() {
      await runProgram('umount', [path]);
      await rm(path, { recursive: true });
    },
  };
}

it('keeps the old file and reports store_full if the disk is full', async ({ skip }) => {
  await using disk = await mountSmall();
  if (disk === undefined) return skip('no file system can be mounted here');
  const files = createWorkspaceFiles(rememberRoot(disk.path), '/workspace');
  await files.write('file', 'old');
  await expect(files.write('file', Buffer.alloc(2_000_000))).rejects.toMatchObject({ code: 'store_full' });
  expect(await readFile(join(disk.path, 'file'), 'utf8')).toBe('old');
  expect(await readdir(disk.path)).toEqual(['file']);
});

it('reports store_readonly on a read-only file system', async ({ skip }) => {
  await using disk = await mountSmall();
  if (disk === undefined) return skip('no file system can be mounted here');
  const files = createWorkspaceFiles(rememberRoot(disk.path), '/workspace');
  await files.write('file', 'old');
  await disk.makeReadOnly();
  await expect(files.write('file', 'new')).rejects.toMatchObject({ code: 'store_readonly' });
  await expect(files.write('folder/file', 'new')).rejects.toMatchObject({ code: 'store_readonly' });
  expect(Buffer.from(await files.read('file')).toString()).toBe('old');
});

it('refuses a folder outside whose name begins with that of the workspace', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  await mkdir(join(parent, 'work'));
  await mkdir(join(parent, 'work-other'));
  const files = createWorkspaceFiles(rememberRoot(join(parent, 'work')), '/workspace');
  await expect(files.list(join(parent, 'work-other'))).rejects.toMatchObject({
    code: 'path_outside_workspace',
  });
  await expect(files.list('/workspace-other')).rejects.toMatchObject({ code: 'path_outside_workspace' });
  await rm(parent, { recursive: true });
});

it('leaves no descriptor open after failures', async () => {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  const files = createWorkspaceFiles(rememberRoot(root), '/workspace');
  await mkdir(join(root, 'folder'));
  const count = async () => (await readdir('/proc/self/fd').catch(() => [])).length;
  const before = await count();
  for (const path of ['absent/x', 'folder', 'folder/absent', '../x']) {
    await files.read(path).catch(() => undefined);
    await files.list(path).catch(() => undefined);
    await files.stat(path).catch(() => undefined);
    await files.write(path, 'x').catch(() => undefined);
  }
  expect(await count()).toBe(before);
  await rm(root, { recursive: true });
});

it('fails instead of reading or writing another folder that has taken the place of the workspace', async () => {
  const parent = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  const [root, outside] = [join(parent, 'work'), join(parent, 'outside')];
  await mkdir(root);
  await mkdir(outside);
  await writeFile(join(outside, 'key'), 'PLANTED');
  const files = createWorkspaceFiles(rememberRoot(root), '/workspace');
  await rename(root, join(parent, 'moved'));
  for (const replace of [() => symlink(outside, root), () => rename(outside, root)]) {
    await replace();
    await expect(files.read('key')).rejects.toThrow();
    await expect(files.write('made', 'x')).rejects.toThrow();
    await expect(files.list('')).rejects.toThrow();
    expect(await readdir(root)).toEqual(['key']);
    if ((await lstat(root)).isSymbolicLink()) await unlink(root);
  }
  expect(() => rememberRoot(join(parent, 'absent'))).toThrow(/is no longer the folder/);
  await rm(parent, { recursive: true });
});

it('drops set-user-id and set-group-id from a file that it overwrites', async () => {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  await writeFile(join(root, 'tool'), 'old');
  await chmod(join(root, 'tool'), 0o6755);
  await createWorkspaceFiles(rememberRoot(root), '/workspace').write('tool', 'new');
  expect((await lstat(join(root, 'tool'))).mode & 0o7777).toBe(0o755);
  await rm(root, { recursive: true });
});

it('overwrites a file with several names in place, and keeps its mode', async () => {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-files-'));
  await writeFile(join(root, 'a'), 'a longer text');
  await chmod(join(root, 'a'), 0o640);
  await link(join(root, 'a'), join(root, 'b'));
  const files = createWorkspaceFiles(rememberRoot(root), '/workspace');
  expect(await files.write('a', 'new')).toEqual({ created: false });
  expect(await readFile(join(root, 'b'), 'utf8')).toBe('new');
  const [one, other] = await Promise.all([lstat(join(root, 'a')), lstat(join(root, 'b'))]);
  expect([one.ino, one.mode & 0o777]).toEqual([other.ino, 0o640]);
  expect(await readdir(root)).toEqual(['a', 'b']);
  await rm(root, { recursive: true });
});

it('puts the old content of a file with several names back if the disk is full', async ({ skip }) => {
  await using disk = await mountSmall();
  if (disk === undefined) return skip('no file system can be mounted here');
  const files = createWorkspaceFiles(rememberRoot(disk.path), '/workspace');
  await files.write('a', 'old');
  await link(join(disk.path, 'a'), join(disk.path, 'b'));
  await expect(files.write('a', Buffer.alloc(2_000_000))).rejects.toMatchObject({ code: 'store_full' });
  expect(await readFile(join(disk.path, 'b'), 'utf8')).toBe('old');
});
