import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readEnvironment } from '@longhaul/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalSandbox } from './local-sandbox.ts';

async function openFolder() {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-git-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = (first: string | string[], ...rest: string[]) => {
    const [args, input] = Array.isArray(first) ? [first, rest.join('')] : [[first, ...rest], undefined];
    return execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: root, input });
  };
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const facts = async () => {
    await using sandbox = await openLocalSandbox(root);
    return (await readEnvironment(sandbox, [])).git;
  };
  return { root, git, write, facts };
}

async function openRepository() {
  const folder = await openFolder();
  folder.git('init', '-q', '-b', 'main');
  for (const name of ['a.txt', 'b.txt', 'deep/c.txt', 'd ü.txt'])
    await folder.write(name, `The text of ${name}.\n`);
  await symlink('a.txt', join(folder.root, 'link'));
  folder.git('add', '.');
  folder.git('commit', '-qm', 'first');
  return folder;
}

describe('git facts', () => {
  it('reads the branch, and finds no changes in a clean tree', async () => {
    const { facts, git } = await openRepository();
    expect(await facts()).toEqual({ head: 'main', changedFiles: 0 });
    git('checkout', '-q', '-b', 'feature/x');
    expect(await facts()).toEqual({ head: 'feature/x', changedFiles: 0 });
  });

  it('counts changed, deleted and replaced files, and not those that only got another time', async () => {
    const { root, write, facts } = await openRepository();
    await utimes(join(root, 'a.txt'), 1, 1);
    expect(await facts()).toEqual({ head: 'main', changedFiles: 0 });
    await write('a.txt', 'Another text.\n');
    await rm(join(root, 'deep'), { recursive: true });
    await rm(join(root, 'link'));
    await write('link', 'A file now.\n');
    // The same size, another content and another time.
    await write('d ü.txt', 'the text of d ü.txt.\n');
    await utimes(join(root, 'd ü.txt'), 5, 5);
    expect(await facts()).toEqual({ head: 'main', changedFiles: 4 });
  });

  it('reads a commit without a branch, an index of version 3, and a repository without a commit', async () => {
    const { facts, git, write } = await openRepository();
    await write('later.txt', 'x');
    git('add', '--intent-to-add', 'later.txt');
    expect(await facts()).toMatchObject({ head: 'main' });
    git('checkout', '-q', '--detach');
    expect((await facts())?.head).toMatch(/^[0-9a-f]{8}$/);
    const empty = await openFolder();
    empty.git('init', '-q', '-b', 'trunk');
    expect(await empty.facts()).toEqual({ head: 'trunk' });
  });

  it('reads an index of version 4', async () => {
    const { facts, git, write } = await openRepository();
    for (const name of ['deep/cc.txt', 'deep/d/e.txt', `deep/${'long/'.repeat(40)}name.txt`, 'z'])
      await write(name, name);
    git('add', '.');
    git('commit', '-qm', 'more');
    git('update-index', '--index-version', '4');
    expect(await facts()).toEqual({ head: 'main', changedFiles: 0 });
    await write('deep/d/e.txt', 'Changed.');
    await write('z', 'Changed too.');
    expect(await facts()).toEqual({ head: 'main', changedFiles: 2 });
  });

  it('leaves the number of changes unknown if the index has another form', async () => {
    const { root, facts, git } = await openRepository();
    git('update-index', '--split-index');
    expect(await facts()).toEqual({ head: 'main' });
    for (const index of [
      'DIRC\0\0\0\u0002\0\0\u00ff\u00ff',
      'DIRC\0\0\0\u0004\0\0\u00ff\u00ff',
      `DIRC\0\0\0\u0004\0\0\0\u0001${'\0'.repeat(62)}\u00ff\u00ff\u00ff\u00ff\u00ffa\0`,
      `DIRC\0\0\0\u0004\0\0\0\u0001${'\0'.repeat(62)}\u0009a\0`,
      'DIRC\0\0\0\u0009\0\0\0\0',
    ]) {
      await writeFile(join(root, '.git/index'), Buffer.from(index, 'latin1'));
      expect(await facts()).toEqual({ head: 'main' });
    }
  });

  it('counts in a repository of more than 5,000 files', async () => {
    const { facts, git, write } = await openRepository();
    const blob = git('hash-object', 'a.txt').toString().trim();
    const names = Array.from({ length: 6_000 }, (_, index) => `many/${index}.txt`);
    const info = names.map((name) => `100644 ${blob}\t${name}\n`).join('');
    git(['update-index', '--index-info'], info);
    expect(await facts()).toEqual({ head: 'main', changedFiles: 6_000 });
    await write('many/0.txt', 'The text of a.txt.\n');
    expect(await facts()).toEqual({ head: 'main', changedFiles: 5_999 });
  });

  it('reports that there can be more in a repository of very many files', async () => {
    const { facts, git } = await openRepository();
    const blob = git('hash-object', 'a.txt').toString().trim();
    const info = Array.from({ length: 60_000 }, (_, index) => `100644 ${blob}\tmissing/${index}\n`).join('');
    git(['update-index', '--index-info'], info);
    expect(await facts()).toMatchObject({ head: 'main', isPartial: true });
  });

  it('reads the facts of a linked working tree', async () => {
    const { root, git } = await openRepository();
    const { root: other, facts, write } = await openFolder();
    await rm(other, { recursive: true });
    git('worktree', 'add', '-q', '-b', 'linked', other);
    expect(await facts()).toEqual({ head: 'linked', changedFiles: 0 });
    await write('a.txt', 'Changed.');
    expect(await facts()).toEqual({ head: 'linked', changedFiles: 1 });
    // The folder of git no longer names this one.
    const gitdir = (await readFile(join(other, '.git'), 'utf8')).replace('gitdir: ', '').trim();
    await writeFile(join(gitdir, 'gitdir'), join(root, '.git'));
    expect(await facts()).toBeUndefined();
  });

  it('has no facts without a repository, and for a link to one elsewhere', async () => {
    const { facts, root } = await openFolder();
    expect(await facts()).toBeUndefined();
    const other = await openRepository();
    await symlink(join(other.root, '.git'), join(root, '.git'));
    expect(await facts()).toBeUndefined();
    await rm(join(root, '.git'));
    other.git('worktree', 'add', '-q', `${other.root}/tree`);
    const linked = join(other.root, '.git/worktrees/tree');
    await symlink(linked, join(root, 'worktrees-link'));
    for (const target of [join(other.root, '.git'), linked, join(root, 'worktrees-link'), '/etc', '.', '']) {
      await writeFile(join(root, '.git'), `gitdir: ${target}\n`);
      expect(await facts()).toBeUndefined();
    }
  });

  it('does not look at files behind a link among the folders of a tracked path', async () => {
    const { root, facts } = await openRepository();
    const other = await openRepository();
    const same = join(root, 'deep/c.txt');
    const { atime, mtime } = await stat(same);
    await utimes(join(other.root, 'deep/c.txt'), atime, mtime);
    await rm(join(root, 'deep'), { recursive: true });
    await symlink(join(other.root, 'deep'), join(root, 'deep'));
    expect(await facts()).toEqual({ head: 'main', changedFiles: 1 });
  });

  it('runs no program of a hostile repository', async () => {
    const { root, facts, git, write } = await openRepository();
    const ran = join(root, 'ran');
    await write('evil.sh', `#!/bin/sh\ntouch '${ran}'\ncat\n`);
    const evil = join(root, 'evil.sh');
    await chmod(evil, 0o755);
    for (const key of [
      'core.fsmonitor',
      'filter.x.clean',
      'filter.x.process',
      'core.sshCommand',
      'diff.external',
    ])
      git('config', key, evil);
    await write('.gitattributes', '* filter=x\n');
    for (const hook of ['post-index-change', 'fsmonitor-watchman', 'post-checkout']) {
      await write(`.git/hooks/${hook}`, `#!/bin/sh\ntouch '${ran}'\n`);
      await chmod(join(root, '.git/hooks', hook), 0o755);
    }
    await write('a.txt', 'Changed.\n');
    expect(await facts()).toEqual({ head: 'main', changedFiles: 1 });
    const { existsSync } = await import('node:fs');
    expect(existsSync(ran)).toBe(false);
  });

  it('does not wait for pipes in place of files, and ignores names that lead out or are invalid', async () => {
    const { root, facts } = await openRepository();
    await rm(join(root, 'a.txt'));
    execFileSync('mkfifo', [join(root, 'a.txt')]);
    expect(await facts()).toEqual({ head: 'main', changedFiles: 1 });
    await rm(join(root, '.git/index'));
    execFileSync('mkfifo', [join(root, '.git/index')]);
    expect(await facts()).toEqual({ head: 'main' });
    for (const head of [
      'ref: refs/heads/a\u0007b',
      'ref: ../../etc/passwd',
      `ref: refs/heads/${'x'.repeat(2_000)}`,
    ]) {
      await writeFile(join(root, '.git/HEAD'), head);
      expect(await facts()).toBeUndefined();
    }
    await rm(join(root, '.git/HEAD'));
    execFileSync('mkfifo', [join(root, '.git/HEAD')]);
    expect(await facts()).toBeUndefined();
  });
});
