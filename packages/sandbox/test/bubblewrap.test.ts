import { existsSync } from 'node:fs';
import {
  chmod,
  chown,
  copyFile,
  mkdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createSandboxDriver } from '../src/index.ts';
import {
  countProcesses,
  crashWith,
  describeKind,
  makeWorkspace,
  ownTraces,
  run,
  uniqueSeconds,
  withEnvironment,
} from './support.ts';

await describeKind('bubblewrap', () => {
  const driver = createSandboxDriver('bubblewrap');

  it('puts folders of programs first on the PATH and mounts them read-only, wherever they are', async () => {
    await using folders = await makeWorkspace();
    await using elsewhere = await makeWorkspace();
    const own = join(folders.workspace, 'own');
    const other = join(elsewhere.workspace, 'other/bin');
    for (const folder of [own, other]) {
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, `prog-${folder === own ? 'own' : 'other'}`), '#!/bin/sh\necho ran $0\n', {
        mode: 0o755,
      });
    }
    await symlink(other, join(elsewhere.workspace, 'link'));
    const programFolders = [
      dirname(process.execPath),
      own,
      join(elsewhere.workspace, 'link'),
      '/usr/bin',
      '/absent/folder',
      '/',
      '/tmp',
    ];
    await using sandbox = await driver.open(folders.options({ programFolders }));
    expect((await run(sandbox, 'node --version')).output).toBe(`${process.version}\n`);
    expect((await run(sandbox, 'prog-own')).output).toBe('ran /workspace/own/prog-own\n');
    expect((await run(sandbox, 'prog-other')).exitCode).toBe(0);
    // Folders such as `/` and `/tmp` are not mounted as folders of programs. One below /tmp is moved; in a checkout
    // below /tmp, that includes the folder of the running Node.
    const moved = process.execPath.startsWith('/tmp/') ? '2' : '1';
    expect((await run(sandbox, 'ls /run/longhaul/programs | wc -l')).output.trim()).toBe(moved);
    const { output } = await run(sandbox, 'echo x >$(dirname $(command -v prog-other))/new');
    expect(output).toMatch(/Read-only/);
    expect(await sandbox.files.list('')).toEqual([{ name: 'own', kind: 'directory' }]);
  });

  it('mounts shared folders in the workspace read-only, unless a link or another folder has replaced them', async () => {
    await using folders = await makeWorkspace();
    await using elsewhere = await makeWorkspace();
    const shared = async (name: string) => {
      const from = join(elsewhere.workspace, name);
      await mkdir(from);
      await writeFile(join(from, 'file'), `${name}\n`);
      await mkdir(join(folders.workspace, name));
      return { from, to: name, inode: String((await stat(from, { bigint: true })).ino) };
    };
    const sharedFolders = [
      await shared('node_modules'),
      await shared('.venv'),
      await shared('linked'),
      await shared('gone'),
    ];
    await using sandbox = await driver.open(folders.options({ sharedFolders }));
    expect((await run(sandbox, 'cat */file .venv/file')).output).toBe('gone\nlinked\nnode_modules\n.venv\n');
    expect((await run(sandbox, 'echo x > node_modules/file')).output).toMatch(/Read-only/);
    await rename(join(elsewhere.workspace, 'linked'), join(elsewhere.workspace, 'secret'));
    await symlink('secret', join(elsewhere.workspace, 'linked'));
    await rm(join(elsewhere.workspace, 'gone'), { recursive: true });
    await mkdir(join(elsewhere.workspace, 'gone'));
    await rm(join(folders.workspace, '.venv'), { recursive: true });
    expect((await run(sandbox, 'cat */file .venv/file')).output).toMatch(/^node_modules\n.*No such file/);
    expect(await readFile(join(elsewhere.workspace, 'node_modules/file'), 'utf8')).toBe('node_modules\n');
  });

  it('mounts only the runtime of a folder that is not for programs, such as a home folder', async () => {
    await using folders = await makeWorkspace();
    await using home = await makeWorkspace();
    await copyFile(process.execPath, join(home.workspace, 'node'));
    await writeFile(join(home.workspace, 'secret'), 'PLANTED');
    await using sandbox = await driver.open(folders.options({ programFolders: [home.workspace] }));
    const { output } = await run(sandbox, 'node --version; ls $(dirname $(command -v node))');
    expect(output).toBe(`${process.version}\nnode\n`);
  });

  it('mounts no other folder that has taken the place of the workspace', async () => {
    await using folders = await makeWorkspace();
    await using other = await makeWorkspace();
    await writeFile(join(other.workspace, 'key'), 'PLANTED');
    await using sandbox = await driver.open(folders.options());
    expect((await run(sandbox, 'echo works')).output).toBe('works\n');
    await rename(folders.workspace, `${folders.workspace}-moved`);
    await symlink(other.workspace, folders.workspace);
    await expect(run(sandbox, 'cat key; echo x > planted')).rejects.toThrow(/is no longer the folder/);
    expect(existsSync(join(other.workspace, 'planted'))).toBe(false);
    await unlink(folders.workspace);
    await rename(`${folders.workspace}-moved`, folders.workspace);
    expect((await run(sandbox, 'echo works')).output).toBe('works\n');
  });

  it('runs npm of a Node outside the system folders, which is a link from bin to lib', async () => {
    await using folders = await makeWorkspace();
    await using elsewhere = await makeWorkspace();
    // The folder is below /tmp, so it is moved. A Node in a home folder keeps its path.
    const bin = join(elsewhere.workspace, 'node/bin');
    await mkdir(join(bin, '../lib/node_modules/npm'), { recursive: true });
    await mkdir(bin);
    await writeFile(join(bin, '../lib/node_modules/npm/cli'), '#!/bin/sh\necho npm ran\n', { mode: 0o755 });
    await symlink('../lib/node_modules/npm/cli', join(bin, 'npm'));
    await using sandbox = await driver.open(folders.options({ programFolders: [bin] }));
    expect((await run(sandbox, 'npm')).output).toBe('npm ran\n');
  });

  it('mounts resolv.conf and the trusted certificates with the network on', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options({ network: 'on' }));
    const { output } = await run(sandbox, 'grep -c nameserver /etc/resolv.conf; ls /etc/ssl; ls /run');
    expect(output).toMatch(/^[1-9]/);
    expect(output).not.toContain('private');
  });

  it('lets Git work in a folder that another user owns', async ({ skip }) => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options());
    if (process.getuid?.() !== 0) skip('only root can change the owner of a folder');
    if ((await run(sandbox, 'command -v git')).exitCode !== 0) skip('Git is not installed');
    await chown(folders.workspace, 12_345, 12_345);
    await chmod(folders.workspace, 0o777);
    await run(sandbox, 'git init -q inner');
    await chown(join(folders.workspace, 'inner'), 12_345, 12_345);
    expect((await run(sandbox, 'git -C inner status --short')).output).toBe('');
    await chown(folders.workspace, 0, 0);
  });

  it('ends with its process, and the next sandbox removes what it left', async () => {
    await using folders = await makeWorkspace();
    const seconds = uniqueSeconds();
    await crashWith('bubblewrap', folders.options(), `echo up; setsid sleep ${seconds}`);
    await expect.poll(() => countProcesses(seconds)).toBe(0);
    const sandbox = await driver.open(folders.options());
    await sandbox[Symbol.asyncDispose]();
    expect(ownTraces()).toEqual([]);
  });

  it('opens although a bwrap still waits for its killed process, whose cgroup stayed busy', async () => {
    await using folders = await makeWorkspace();
    await using elsewhere = await makeWorkspace();
    const seconds = uniqueSeconds();
    const [bwrap, isUp] = [join(elsewhere.workspace, 'bwrap'), join(elsewhere.workspace, 'up')];
    const probe = await driver.probe();
    const real = probe.available ? probe.detail : '';
    // Acts as bwrap before it has bound its life to its parent's. Passes the probe on to the real bwrap.
    const lines = [
      `#!/bin/sh`,
      `[ "$1" = --info-fd ] || exec ${real} "$@"`,
      `echo >${isUp}`,
      `exec /bin/sleep ${seconds}`,
    ];
    await writeFile(bwrap, lines.join('\n'), { mode: 0o755 });
    await crashWith('bubblewrap', folders.options(), 'true', {
      // Programs of the system come first, wherever they are in PATH.
      env: { PATH: elsewhere.workspace },
      prints: false,
      until: async () => {
        await expect.poll(() => existsSync(isUp)).toBe(true);
        await expect.poll(() => countProcesses(seconds)).toBe(1);
      },
    });
    await using sandbox = await driver.open(folders.options());
    // A look for such processes shortly after another one comes later.
    await expect.poll(() => countProcesses(seconds)).toBe(0);
    expect((await run(sandbox, 'echo works; echo "[$LONGHAUL_COMMAND]"')).output).toBe('works\n[]\n');
  });

  it('hides environment variables from the list of processes', async () => {
    await using folders = await makeWorkspace();
    await using sandbox = await driver.open(folders.options({ env: { KEY: 'key-314159265' } }));
    const running = run(sandbox, 'echo "$KEY" >file; until [ -e stop ]; do sleep 0.02; done');
    await expect.poll(() => sandbox.files.stat('file')).toBeDefined();
    expect(countProcesses('key-314159265')).toBe(0);
    await sandbox.files.write('stop', '');
    await running;
  });

  it('says how to install a missing bwrap, and finds it once it is installed', async () => {
    const fresh = createSandboxDriver('bubblewrap');
    await withEnvironment({ PATH: '/absent' }, async () => {
      expect(await fresh.probe()).toMatchObject({
        available: false,
        remedy: expect.stringContaining('apt install bubblewrap'),
      });
    });
    expect(await fresh.probe()).toMatchObject({ available: true });
  });
});
