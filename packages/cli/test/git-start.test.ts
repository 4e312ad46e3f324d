import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readGitStart } from '@longhaul/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openLocalSandbox } from './local-sandbox.ts';

async function openFolder() {
  const root = await mkdtemp(join(tmpdir(), 'longhaul-git-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { cwd: root, stdio: 'pipe' })
      .toString()
      .trim();
  const start = async () => {
    await using sandbox = await openLocalSandbox(root);
    return await readGitStart(sandbox.files);
  };
  return { root, git, start, dotGit: (...names: string[]) => join(root, '.git', ...names) };
}

async function openRepository() {
  const folder = await openFolder();
  folder.git('init', '-q', '-b', 'main');
  folder.git('commit', '-q', '--allow-empty', '-m', 'first');
  return { ...folder, commit: folder.git('rev-parse', 'HEAD') };
}

describe('the branch and the commit at the start of a session', () => {
  it('are read from loose and from packed branches, and the loose one is newer', async () => {
    const { git, start, commit } = await openRepository();
    expect(await start()).toEqual({ branch: 'main', commit });
    git('checkout', '-q', '-b', 'feature/ü-1');
    git('pack-refs', '--all');
    expect(await start()).toEqual({ branch: 'feature/ü-1', commit });
    git('commit', '-q', '--allow-empty', '-m', 'second');
    expect(await start()).toEqual({ branch: 'feature/ü-1', commit: git('rev-parse', 'HEAD') });
    expect(git('rev-parse', 'HEAD')).not.toBe(commit);
    // Another branch, whose name ends with this one.
    git('branch', 'other/main');
    git('pack-refs', '--all');
    git('checkout', '-q', 'main');
    expect(await start()).toEqual({ branch: 'main', commit });
  });

  it('say what is missing: a commit, a branch, a repository', async () => {
    const folder = await openFolder();
    expect(await folder.start()).toBeUndefined();
    folder.git('init', '-q', '-b', 'trunk');
    expect(await folder.start()).toEqual({ branch: 'trunk', commit: null });
    const { git, start, commit } = await openRepository();
    git('checkout', '-q', '--detach');
    expect(await start()).toEqual({ commit });
  });

  it('are those of a linked worktree, whose branches are in the repository', async () => {
    const { root, git, commit } = await openRepository();
    const other = await openFolder();
    await rm(other.root, { recursive: true });
    git('worktree', 'add', '-q', '-b', 'linked', other.root);
    expect(await other.start()).toEqual({ branch: 'linked', commit });
    git('pack-refs', '--all');
    expect(await other.start()).toEqual({ branch: 'linked', commit });
    other.git('checkout', '-q', '--detach');
    expect(await other.start()).toEqual({ commit });
    // The folder of git no longer names this one.
    const gitdir = (await readFile(join(other.root, '.git'), 'utf8')).replace('gitdir: ', '').trim();
    await writeFile(join(gitdir, 'gitdir'), join(root, '.git'));
    expect(await other.start()).toEqual({});
  });

  it('are those of a repository with SHA-256, and of a branch that is another name', async () => {
    const folder = await openFolder();
    folder.git('init', '-q', '-b', 'main', '--object-format=sha256');
    folder.git('commit', '-q', '--allow-empty', '-m', 'first');
    const commit = folder.git('rev-parse', 'HEAD');
    expect(commit).toHaveLength(64);
    folder.git('symbolic-ref', 'refs/heads/alias', 'refs/heads/main');
    await writeFile(folder.dotGit('HEAD'), 'ref: refs/heads/alias\n');
    expect(await folder.start()).toEqual({ branch: 'alias', commit });
    await writeFile(folder.dotGit('refs/heads/main'), 'ref: refs/heads/alias\n');
    expect(await folder.start()).toEqual({ branch: 'alias' });
  });

  it('are unknown in a repository that stores its branches in tables', async () => {
    const { start, dotGit } = await openRepository();
    await mkdir(dotGit('reftable'));
    await writeFile(dotGit('HEAD'), 'ref: refs/heads/.invalid\n');
    expect(await start()).toEqual({});
  });

  it('are unknown if HEAD is a pipe, is huge, or contains an invalid name', async () => {
    const { start, dotGit } = await openRepository();
    for (const name of [
      '../../../etc/passwd',
      'a/../../../../x',
      'a\u001b[2Jb',
      'a\nb',
      'a b',
      'a\0b',
      '-'.repeat(300),
      'a..b',
      'x.lock',
      '',
    ]) {
      await writeFile(dotGit('HEAD'), `ref: refs/heads/${name}\n`);
      expect(await start(), name).toEqual({});
    }
    await writeFile(dotGit('HEAD'), Buffer.from('ref: refs/heads/\xff\xfe\n', 'latin1'));
    expect(await start()).toEqual({});
    await truncate(dotGit('HEAD'), 5_000_000_000);
    expect(await start()).toEqual({});
    await rm(dotGit('HEAD'));
    execFileSync('mkfifo', [dotGit('HEAD')]);
    expect(await start()).toEqual({});
  });

  it('have no commit if the branch is huge, a folder, a pipe, a link out of the workspace, or no id', async () => {
    const { start, dotGit } = await openRepository();
    const branch = dotGit('refs/heads/main');
    const outside = await openFolder();
    await writeFile(join(outside.root, 'id'), `${'a'.repeat(40)}\n`);
    const places = [
      () => writeFile(branch, 'no id\n'),
      () => truncate(branch, 3_000_000_000),
      () => rm(branch).then(() => mkdir(branch)),
      () => rm(branch, { recursive: true }).then(() => execFileSync('mkfifo', [branch])),
      () => rm(branch).then(() => symlink(join(outside.root, 'id'), branch)),
      () => rm(branch).then(() => symlink('main', branch)),
    ];
    for (const place of places) {
      await place();
      expect(await start()).toEqual({ branch: 'main' });
    }
    await rm(branch);
    for (const packed of [`${'a'.repeat(39)} refs/heads/main\n`, `x ${'a'.repeat(40)} refs/heads/main\n`]) {
      await writeFile(dotGit('packed-refs'), packed);
      expect(await start()).toEqual({ branch: 'main' });
    }
    await truncate(dotGit('packed-refs'), 2_000_000_000);
    expect(await start()).toEqual({ branch: 'main' });
  });

  it('are not those of a repository elsewhere', async () => {
    const { start, root } = await openFolder();
    const other = await openRepository();
    await symlink(join(other.root, '.git'), join(root, '.git'));
    expect(await start()).toEqual({});
    await rm(join(root, '.git'));
    await writeFile(join(root, '.git'), `gitdir: ${other.dotGit()}\n`);
    expect(await start()).toEqual({});
  });
});
