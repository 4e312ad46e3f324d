import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

const IDENTITY = ['-c', 'user.name=x', '-c', 'user.email=x@x'];

function git(folder: string, ...args: string[]): string {
  return execFileSync('git', [...IDENTITY, ...args], { cwd: folder, stdio: 'pipe' })
    .toString()
    .trim();
}

/** A repository in which a session changed two files, and in which somebody committed afterwards. */
async function worked(bench: Bench): Promise<{ commit: string }> {
  const { workspace } = bench;
  git(workspace, 'init', '-q', '-b', 'main');
  await writeFile(join(workspace, 'a.txt'), 'first\n');
  await writeFile(join(workspace, '.gitignore'), 'ignored\n');
  await writeFile(join(workspace, 'ignored'), 'x');
  git(workspace, 'add', '.');
  git(workspace, 'commit', '-qm', 'first');
  const commit = git(workspace, 'rev-parse', 'HEAD');
  const commands = ['echo second > a.txt', 'echo new > b.txt'];
  const { flags } = await bench.serve({
    windowTokens: 64_000,
    script: ({ number }) => {
      const command = commands[number - 1];
      return command === undefined
        ? 'Done.'
        : { text: 'Writing.', toolCalls: [{ name: 'bash', arguments: { command } }] };
    },
  });
  const ended = await bench.run(['run', 'Write files', '--sandbox', 'local', ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
  git(workspace, 'commit', '-qam', 'later');
  return { commit };
}

describe('a session in a git repository', () => {
  it('shows its branch and commit, even after an export and in a fork, and a worktree starts there', async () => {
    await using bench = await Bench.open();
    const { commit } = await worked(bench);
    const short = commit.slice(0, 12);
    expect((await bench.call(['show', 'last'])).stdout).toMatch(new RegExp(`^git +main at ${short}$`, 'm'));
    expect((await bench.call(['tree', 'last'])).stdout).toMatch(
      new RegExp(`^started on main at ${short}$`, 'm'),
    );
    const { stdout: text } = await bench.call(['export', 'last', '--files']);
    const { session } = JSON.parse(text);
    expect(session.metadata.gitAtStart).toEqual({ branch: 'main', commit });

    // Nothing that the repository names is run, and variables of git have no effect.
    const ran = join(bench.root, 'ran');
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      await writeFile(join(bench.workspace, '.git/hooks', hook), `#!/bin/sh\ntouch '${ran}'\n`);
      await chmod(join(bench.workspace, '.git/hooks', hook), 0o755);
    }
    const folder = join(bench.root, 'copy');
    const args = ['fork', session.id, '--at', 'm2', '--files', folder, '--worktree'];
    const forked = await bench.run(args, { env: { GIT_DIR: join(bench.root, 'none') } });
    expect(forked.code, forked.stderr).toBe(0);
    expect(forked.stdout.replaceAll(/\s+/g, ' ')).toContain(
      `Its branch longhaul/copy starts at ${short}, the commit at the start of the session.`,
    );
    expect(existsSync(ran)).toBe(false);
    expect(git(folder, 'rev-parse', 'HEAD')).toBe(commit);
    expect(git(folder, 'status', '--short')).toBe('M a.txt');
    expect((await bench.call(['show', 'last', '-C', folder])).stdout).toMatch(
      new RegExp(`^git +longhaul/copy at ${short}$`, 'm'),
    );

    await writeFile(join(bench.home, 'session.json'), text);
    const imported = await bench.call(['import', join(bench.home, 'session.json'), '--json']);
    const { sessionId } = JSON.parse(imported.stdout);
    expect((await bench.call(['show', sessionId])).stdout).toMatch(
      new RegExp(`^git +main at ${short}$`, 'm'),
    );
  }, 300_000);

  it('creates no worktree and no folder if its commit is missing', async () => {
    await using bench = await Bench.open();
    const { commit } = await worked(bench);
    const { workspace } = bench;
    git(workspace, 'checkout', '-q', '--orphan', 'other');
    git(workspace, 'commit', '-qm', 'other');
    git(workspace, 'branch', '-D', 'main');
    git(workspace, 'reflog', 'expire', '--expire=now', '--all');
    git(workspace, 'gc', '-q', '--prune=now');
    const folder = join(bench.root, 'copy');
    const args = ['fork', 'last', '--files', folder];
    const refused = await bench.call([...args, '--worktree']);
    expect(refused.code).not.toBe(0);
    expect(refused.stderr.replaceAll(/\s+/g, ' ')).toContain(
      `The session began at commit ${commit.slice(0, 12)}, which is not in the repository`,
    );
    expect(existsSync(folder)).toBe(false);
    expect(git(workspace, 'branch', '--list', 'longhaul/*')).toBe('');
    expect((await bench.call(args)).code).toBe(0);
    expect(await readFile(join(folder, 'b.txt'), 'utf8')).toBe('new\n');
  }, 300_000);

  it('creates neither a folder nor a branch for a message that does not exist, and names a branch that exists', async () => {
    await using bench = await Bench.open();
    await worked(bench);
    const folder = join(bench.root, 'copy');
    const args = ['fork', 'last', '--files', folder, '--worktree'];
    for (const at of ['m0', 'm99']) {
      const refused = await bench.call([...args, '--at', at]);
      expect(refused.stderr).toContain(`The session has no message ${at}.`);
    }
    expect(existsSync(folder)).toBe(false);
    git(bench.workspace, 'branch', 'longhaul/copy');
    const refused = await bench.call(args);
    expect(refused.stderr).toMatch(
      /^longhaul: git refused the worktree: fatal: .*'longhaul\/copy' already exists/,
    );
    expect(existsSync(folder)).toBe(false);
  }, 300_000);

  it('leaves no branch and no worktree if the recorded files are lost', async () => {
    await using bench = await Bench.open();
    await worked(bench);
    await rm(join(bench.home, '.local/share/longhaul/blobs'), { recursive: true });
    const folder = join(bench.root, 'copy');
    const refused = await bench.call(['fork', 'last', '--files', folder, '--worktree']);
    expect(refused.stderr).toContain('are not in this store');
    expect(existsSync(folder)).toBe(false);
    expect(git(bench.workspace, 'branch', '--list', 'longhaul/*')).toBe('');
    expect(git(bench.workspace, 'worktree', 'list').split('\n')).toHaveLength(1);
  }, 300_000);
});
