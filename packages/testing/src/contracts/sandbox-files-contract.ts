import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { ContractRunner } from './contract-runner.ts';
import { openTestSandbox, refusedWith, type SandboxHarness, type TestSandbox } from './sandbox-fixtures.ts';

const ODD_NAME = `it's "odd"\n\tü→ name`;
const decode = (bytes: Uint8Array) => Buffer.from(bytes).toString();

export function workspaceFilesContract({ it }: ContractRunner, harness: SandboxHarness): void {
  it('shares files with commands in both directions', async () => {
    await using box = await openTestSandbox(harness);
    const { files } = box.sandbox;
    assert.deepEqual(await files.write(`new/folder/${ODD_NAME}`, 'from here'), { created: true });
    assert.equal((await box.run('cat new/folder/*; echo -n there >new/made')).stdout, 'from here');
    assert.equal(decode(await files.read('new/made')), 'there');
    assert.equal(decode(await files.read('new/made', { start: 1, length: 3 })), 'her');
    assert.equal(decode(await files.read('new/made', { start: 4, length: 100 })), 'e');
    assert.deepEqual(await files.write('new/made', new Uint8Array([0xff, 0])), { created: false });
    assert.deepEqual([...(await files.read('new/made'))], [0xff, 0]);
  });

  it('accepts absolute paths as commands see them and as this machine sees them', async () => {
    await using box = await openTestSandbox(harness);
    const { files, workspacePath } = box.sandbox;
    await files.write(`${workspacePath}/a/../b`, 'x');
    assert.equal(await files.resolve(`${workspacePath}/./b`), 'b');
    assert.equal(await files.resolve(join(box.workspace, 'b')), 'b');
    assert.equal(await files.resolve(workspacePath), '');
    assert.equal(await files.resolve('.'), '');
    assert.equal(files.root, box.workspace);
  });

  it('lists and describes files, folders, links and pipes', async () => {
    await using box = await openTestSandbox(harness);
    await box.run('mkdir d; printf abc >f; ln -s f l; mkfifo p; ln -s absent dangling');
    const { files } = box.sandbox;
    assert.deepEqual(await files.list(''), [
      { name: 'd', kind: 'directory' },
      { name: 'dangling', kind: 'link' },
      { name: 'f', kind: 'file', size: 3 },
      { name: 'l', kind: 'link' },
      { name: 'p', kind: 'other' },
    ]);
    assert.equal((await files.stat('l'))?.size, 3);
    assert.equal((await files.stat('p'))?.kind, 'other');
    assert.equal((await files.stat(''))?.kind, 'directory');
    assert.equal(await files.stat('absent/below'), undefined);
    assert.equal(await files.stat('f/below'), undefined);
  });

  it('refuses paths that lead out of the workspace', async () => {
    await using box = await openTestSandbox(harness);
    for (const path of ['..', '../x', '/etc/passwd', '/workspace-beside/x', 'a/../../x', '/']) {
      await refusesAll(box, path);
    }
  });

  it('refuses links made by a command that lead out, at any place in the path', async () => {
    await using box = await openTestSandbox(harness);
    await writeFile(join(box.outside, 'secret'), 'host secret');
    await box.run(
      `ln -s ${box.outside} folder; ln -s ${box.outside}/secret file; ln -s ${box.outside}/absent dangling; ln -s .. up; ln -s folder/secret chain; ln -s loop loop`,
    );
    for (const path of [
      'folder',
      'folder/secret',
      'file',
      'dangling',
      'up',
      'up/x',
      'chain',
      'folder/new/x',
    ]) {
      await refusesAll(box, path);
    }
    await refusedWith(box.sandbox.files.read('loop'), 'invalid_request');
    assert.deepEqual(await readdir(box.outside), ['secret']);
    assert.equal(await readFile(join(box.outside, 'secret'), 'utf8'), 'host secret');
  });

  it('follows links that stay inside, including absolute ones as commands see them', async () => {
    await using box = await openTestSandbox(harness);
    const { files, workspacePath } = box.sandbox;
    await box.run(
      `mkdir -p d/e; echo -n x >d/f; ln -s ${workspacePath}/d a; ln -s ../f d/e/r; ln -s d/later l`,
    );
    assert.equal(decode(await files.read('a/e/r')), 'x');
    assert.equal(await files.resolve('a/e/r'), 'd/f');
    await files.write('a/e/r', 'y');
    assert.equal((await box.run('cat d/f; test -L d/e/r && echo " link stays"')).stdout, 'y link stays\n');
    await files.write('l', 'z');
    assert.equal(decode(await files.read('d/later')), 'z');
  });

  it('never leaves the workspace while a command swaps folders for links', async () => {
    await using box = await openTestSandbox(harness);
    const { files } = box.sandbox;
    await writeFile(join(box.outside, 'f'), 'host secret');
    const cancel = new AbortController();
    const swapping = box.run(
      `while :; do mkdir d; echo inside >d/f; rm -r d; ln -s ${box.outside} d; rm d; done 2>/dev/null`,
      { signal: cancel.signal },
    );
    for (let round = 0; round < 400; round += 1) {
      const text = await files.read('d/f').then(decode, refusalOf);
      assert.ok(!text.includes('host secret'), 'read through a swapped link');
      await files.write('d/f', 'written').catch(refusalOf);
    }
    cancel.abort();
    await swapping;
    assert.deepEqual(await readdir(box.outside), ['f']);
    assert.equal(await readFile(join(box.outside, 'f'), 'utf8'), 'host secret');
  });

  it('refuses folders, pipes and devices in place of a file, without blocking', async () => {
    await using box = await openTestSandbox(harness);
    const { files } = box.sandbox;
    await box.run('mkfifo pipe; mkdir folder; echo x >file');
    for (const path of ['pipe', 'folder', '', 'file/below']) {
      await refusedWith(files.read(path), 'invalid_request');
      await refusedWith(files.write(path, 'x'), 'invalid_request');
    }
    await refusedWith(files.read('absent'), 'not_found');
    await refusedWith(files.list('file'), 'invalid_request');
    await refusedWith(files.list('absent'), 'not_found');
    await refusedWith(files.read('nul\0byte'), 'invalid_request');
    await refusedWith(files.write('x'.repeat(300), ''), 'invalid_request');
  });

  it('keeps the mode of a file, and leaves no temporary file', async () => {
    await using box = await openTestSandbox(harness);
    const script = join(box.workspace, 'script');
    await writeFile(script, 'old');
    await chmod(script, 0o751);
    await box.sandbox.files.write('script', '#!/bin/sh\necho ran\n');
    assert.equal((await stat(script)).mode & 0o7777, 0o751);
    assert.equal((await box.run('./script')).stdout, 'ran\n');
    await box.sandbox.files.write('plain', '');
    assert.equal((await stat(join(box.workspace, 'plain'))).mode & 0o777, 0o666 & ~process.umask());
    assert.deepEqual(await readdir(box.workspace), ['plain', 'script']);
  });

  it('works in a workspace behind a link', async () => {
    await using outer = await openTestSandbox(harness);
    await mkdir(join(outer.outside, 'real'));
    await symlink(join(outer.outside, 'real'), join(outer.outside, 'linked'));
    await using box = await openTestSandbox(harness, { workspace: join(outer.outside, 'linked') });
    await box.sandbox.files.write('f', 'x');
    assert.equal((await box.run('cat f')).stdout, 'x');
  });
}

async function refusesAll({ sandbox: { files } }: TestSandbox, path: string): Promise<void> {
  await refusedWith(files.resolve(path), 'path_outside_workspace');
  await refusedWith(files.stat(path), 'path_outside_workspace');
  await refusedWith(files.read(path), 'path_outside_workspace');
  await refusedWith(files.list(path), 'path_outside_workspace');
  await refusedWith(files.write(path, 'x'), 'path_outside_workspace');
}

/** Returns the code of an expected refusal. Any other error fails the test. */
function refusalOf(error: unknown): string {
  assert.ok(error instanceof LonghaulError && error.code !== 'internal', String(error));
  return error.code;
}
