import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkspaceSource } from '@longhaul/protocol';
import { createMemoryBlobStore } from '@longhaul/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createFileTrees, createMovingWorkspaces } from '../src/index.ts';

let root: string;
let repository: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'longhaul-moving-'));
  repository = join(root, 'project.git');
  execFileSync('git', ['init', '-q', '-b', 'trunk', repository]);
  await writeFile(join(repository, 'a.txt'), 'first\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  git('tag', 'v1');
  await writeFile(join(repository, 'a.txt'), 'second\n');
  git('commit', '-q', '-am', 'second');
});
afterAll(() => rm(root, { recursive: true, force: true }));

function git(...args: string[]): string {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org'];
  return execFileSync('git', ['-C', repository, ...who, ...args], { encoding: 'utf8' }).trim();
}

/** One machine. All have the same blobs. */
function machine(name: string, blobs = createMemoryBlobStore()) {
  const place = join(root, name);
  const trees = createFileTrees({
    blobs,
    cacheFolder: join(place, 'cache'),
    key: Buffer.alloc(32, 1),
    settings: { maxFileMb: 20, ignore: [], secret: [] },
  });
  const folder = join(place, 'copies');
  return {
    trees,
    folder,
    moving: createMovingWorkspaces({
      folder,
      cacheFolder: join(place, 'git'),
      tokens: {},
      machine: name,
      trees,
    }),
  };
}

let count = 0;
async function begin({ moving }: ReturnType<typeof machine>, source: WorkspaceSource) {
  count += 1;
  const id = `s${count}`;
  const workspace = await moving.folderOf(id, source);
  const settle = (more: { tree?: string; commit?: string; place?: string } = {}) =>
    moving.settle({
      session: { id, workspace },
      source,
      tree: undefined,
      commit: undefined,
      place: undefined,
      ...more,
      signal: new AbortController().signal,
    });
  return { id, workspace, settle };
}

describe('folders of sessions that move between machines', () => {
  it('clone a branch, a tag or a commit, and keep the folder until its place has another name', async () => {
    const here = machine('clone');
    const first = git('rev-parse', 'v1');
    for (const [ref, text] of [
      [undefined, 'second\n'],
      ['trunk', 'second\n'],
      ['v1', 'first\n'],
      [first, 'first\n'],
    ] as const) {
      const { workspace, settle } = await begin(here, { git: { url: repository, ref } });
      const { place, isNew } = await settle();
      expect(isNew).toBe(true);
      expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe(text);
      await writeFile(join(workspace, 'own.txt'), 'kept');
      expect(await settle({ place })).toEqual({ place, machine: 'clone', isNew: false, left: [] });
      expect(await readdir(workspace)).toContain('own.txt');
      await settle({ place: 'of another machine' });
      expect(await readdir(workspace)).not.toContain('own.txt');
    }
  });

  it('restore what was recorded on another machine, on top of the commit of the start', async () => {
    const blobs = createMemoryBlobStore();
    const here = machine('one', blobs);
    const { workspace, settle } = await begin(here, { git: { url: repository } });
    const { place } = await settle();
    await writeFile(join(workspace, 'new.txt'), 'new\n');
    const tree = await here.moving.record(workspace);
    const commit = git('rev-parse', 'HEAD');
    await writeFile(join(repository, 'a.txt'), 'third\n');
    git('commit', '-q', '-am', 'third');
    await rm(here.folder, { recursive: true });
    const restored = await settle({ place, tree, commit });
    expect(restored).toMatchObject({ isNew: true, left: [] });
    expect(restored.place).not.toBe(place);
    expect(await readFile(join(workspace, 'a.txt'), 'utf8')).toBe('second\n');
    const status = execFileSync('git', ['-C', workspace, 'status', '--short'], { encoding: 'utf8' });
    expect(status).toBe('?? new.txt\n');
  });

  it('begin with a copy, or with nothing', async () => {
    const here = machine('copy');
    const tree = await here.moving.record(repository);
    const copy = await begin(here, { tree });
    await copy.settle({ tree });
    expect(await readdir(copy.workspace)).toEqual(['a.txt']);
    const empty = await begin(here, {});
    await empty.settle();
    expect(await readdir(empty.workspace)).toEqual([]);
  });

  it('replace no folder but their own', async () => {
    const here = machine('own');
    const { id, workspace, settle } = await begin(here, {});
    await settle();
    for (const other of [
      root,
      join(here.folder, 'other', 'files'),
      join(workspace, 'x'),
      join(here.folder, id),
    ])
      await expect(
        here.moving.settle({
          session: { id, workspace: other },
          source: {},
          tree: undefined,
          commit: undefined,
          place: undefined,
          signal: new AbortController().signal,
        }),
      ).rejects.toMatchObject({ code: 'config_invalid' });
  });

  it('report what git refuses, and run no program of the repository', async () => {
    const here = machine('refused');
    const missing = await begin(here, { git: { url: repository, ref: 'nowhere' } });
    await expect(missing.settle()).rejects.toThrow(/could not fetch nowhere of .*couldn't find remote ref/);
    const gone = await begin(here, { git: { url: join(root, 'gone') } });
    await expect(gone.settle()).rejects.toThrow(/could not fetch HEAD/);
    await writeFile(join(repository, '.gitattributes'), '* filter=lfs\n');
    await symlink('/etc/passwd', join(repository, 'link'));
    git('add', '.');
    git('commit', '-q', '-m', 'attributes');
    const { workspace, settle } = await begin(here, { git: { url: repository } });
    await settle();
    expect(await readdir(workspace)).toEqual(['.git', '.gitattributes', 'a.txt', 'link']);
    await expect(readdir(join(workspace, '.git', 'hooks'))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
