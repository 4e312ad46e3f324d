import { randomUUID } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import Docker from 'dockerode';
import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import {
  containersOf,
  countProcesses,
  crashWith,
  describeKind,
  makeWorkspace,
  run,
  uniqueSeconds,
} from './support.ts';

await describeKind('docker', () => {
  const docker = new Docker();
  const driver = createSandboxDriver('docker');

  const onlyContainer = async (sessionId: string) => {
    const ids = await containersOf(sessionId);
    expect(ids).toHaveLength(1);
    return docker.getContainer(ids[0] ?? '');
  };

  it('mounts shared folders in the workspace read-only', async () => {
    await using folders = await makeWorkspace();
    await using elsewhere = await makeWorkspace();
    await writeFile(join(elsewhere.workspace, 'file'), 'shared\n');
    await mkdir(join(folders.workspace, 'node_modules'));
    const inode = String((await stat(elsewhere.workspace, { bigint: true })).ino);
    const sharedFolders = [{ from: elsewhere.workspace, to: 'node_modules', inode }];
    await using sandbox = await driver.open(folders.options({ sharedFolders }));
    expect((await run(sandbox, 'cat node_modules/file')).output).toBe('shared\n');
    expect((await run(sandbox, 'echo x > node_modules/file')).output).toMatch(/Read-only/);
  });

  it('labels its container, limits it and drops its rights', async () => {
    await using folders = await makeWorkspace();
    const options = folders.options({ memoryMb: 300, pids: 77, cpus: 64 });
    await using _sandbox = await driver.open(options);
    const { Config, HostConfig } = await (await onlyContainer(options.sessionId)).inspect();
    expect(Config.Labels).toMatchObject({
      'longhaul.session': options.sessionId,
      'longhaul.owner-pid': String(process.pid),
    });
    expect(HostConfig).toMatchObject({
      Memory: 300 * 1024 * 1024,
      PidsLimit: 77,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      NetworkMode: 'none',
      Init: true,
    });
  });

  it('reports a container that is killed while a command runs, and starts it again for the next command', async () => {
    await using folders = await makeWorkspace();
    const options = folders.options();
    await using sandbox = await driver.open(options);
    await run(sandbox, 'echo kept >/tmp/kept; echo work >file');
    // Expected before the kill: a rejection before the engine answers would count as unhandled.
    const killed = expect(run(sandbox, 'touch started; sleep 1000')).rejects.toMatchObject({
      code: 'sandbox_failed',
    });
    await expect.poll(() => sandbox.files.stat('started')).toBeDefined();
    await (await onlyContainer(options.sessionId)).kill();
    await killed;
    expect((await run(sandbox, 'cat /tmp/kept file')).output).toBe('kept\nwork\n');
  });

  it('creates one new container for all waiting commands if the container was removed', async () => {
    await using folders = await makeWorkspace();
    const options = folders.options();
    await using sandbox = await driver.open(options);
    await (await onlyContainer(options.sessionId)).remove({ force: true });
    const outputs = await Promise.all(['a', 'b', 'c'].map((text) => run(sandbox, `echo ${text}`)));
    expect(outputs.map(({ output }) => output)).toEqual(['a\n', 'b\n', 'c\n']);
    await onlyContainer(options.sessionId);
  });

  it('removes the container of a killed process, but not that of a living one', async () => {
    await using folders = await makeWorkspace();
    const orphaned = folders.options();
    const living = folders.options();
    await using _living = await driver.open(living);
    const seconds = uniqueSeconds();
    await crashWith('docker', orphaned, `echo up; sleep ${seconds}`, {
      until: async () => expect(await containersOf(orphaned.sessionId)).toHaveLength(1),
    });
    await using _next = await driver.open(folders.options());
    // Another process that opens a sandbox may be removing it and may not have finished.
    await expect.poll(() => containersOf(orphaned.sessionId)).toEqual([]);
    expect(await containersOf(living.sessionId)).toHaveLength(1);
    expect(countProcesses(seconds)).toBe(0);
  });

  it('names the missing image and what to do', async () => {
    await using folders = await makeWorkspace();
    const open = driver.open(folders.options({ image: '127.0.0.1:9/longhaul-absent:none' }));
    await expect(open).rejects.toMatchObject({
      code: 'sandbox_unavailable',
      message: expect.stringMatching(/longhaul-absent:none.*sandbox\.image/),
    });
  });

  it('throws sandbox_unavailable if the image has no shell, and leaves no container', async () => {
    await using folders = await makeWorkspace();
    // An empty archive: the image contains no files.
    const empty = Readable.from([Buffer.alloc(1024)]);
    const tag = randomUUID();
    const imported = await docker.importImage(empty as unknown as string, { repo: 'longhaul-empty', tag });
    await new Promise((resolve) => docker.modem.followProgress(imported, resolve));
    const options = folders.options({ image: `longhaul-empty:${tag}` });
    await expect(driver.open(options)).rejects.toMatchObject({ code: 'sandbox_unavailable' });
    expect(await containersOf(options.sessionId)).toEqual([]);
    await docker.getImage(`longhaul-empty:${tag}`).remove();
  });

  it('refuses an invalid environment variable', async () => {
    await using folders = await makeWorkspace();
    await expect(driver.open(folders.options({ env: { 'A=B': 'c' } }))).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
