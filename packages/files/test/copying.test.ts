import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createFileTrees, type FilesStep } from '../src/index.ts';
import { apply } from './random-edits.ts';
import { bytesOf, KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

const IGNORE = ['node_modules/', '.venv/', 'dist/'];
const settings = { ...SETTINGS, ignore: IGNORE, maxFileMb: 1 };
const always = async () => true;

function treesOf(place: Place, passed?: (step: FilesStep, path: string) => void) {
  return createFileTrees({
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings,
    passed,
  });
}

async function newSource() {
  const place = await newPlace(settings);
  const trees = treesOf(place);
  const at = (path: string) => join(place.workspace, path);
  const put = (path: string, content: string) => {
    mkdirSync(join(at(path), '..'), { recursive: true });
    writeFileSync(at(path), content);
  };
  const copy = async (id = 'child', made = trees) => {
    await using recorder = await trees.openRecorder(place.workspace, undefined);
    const tree = (await recorder.record())?.after ?? '';
    return await made.copies.make(id, { workspace: place.workspace, tree });
  };
  return { place, trees, at, put, copy, [Symbol.asyncDispose]: () => place[Symbol.asyncDispose]() };
}

describe('copying a workspace', () => {
  it('makes a copy again with the files of a tree, in its own folder only', async () => {
    await using source = await newSource();
    source.put('a', 'a');
    const made = await source.copy();
    writeFileSync(join(made.workspace, 'a'), 'changed');
    writeFileSync(join(made.workspace, 'unrecorded'), 'x');
    const { copies } = source.trees;
    const again = await copies.restore('child', made, made.tree);
    expect(again).toEqual({ ...made, place: again.place });
    expect(again.place).not.toBe(made.place);
    expect(await copies.find('child')).toEqual(again);
    expect(readdirSync(made.workspace)).toEqual(['a']);
    expect(readFileSync(join(made.workspace, 'a'), 'utf8')).toBe('a');
    const outside = { ...made, workspace: source.place.workspace };
    await expect(copies.restore('child', outside, made.tree)).rejects.toThrow(/home folder of the same path/);
    expect(readFileSync(source.at('a'), 'utf8')).toBe('a');
  });

  it('copies files with modes, links, empty folders and strange names, and names what is left out', async () => {
    await using source = await newSource();
    source.put('src/a.ts', 'a\n');
    chmodSync(source.at('src/a.ts'), 0o755);
    mkdirSync(source.at('empty'));
    symlinkSync('../../../etc/passwd', source.at('link'));
    for (const path of ['new\nline', '\xff\xfe', '-x', '"quoted"'])
      apply(source.place.workspace, { kind: 'write', path, content: path, mode: 0o600 });
    const expected = snapshot(source.place.workspace);
    source.put('.env', 'KEY=1\n');
    source.put('dist/built.js', 'built\n');
    const copy = await source.copy();
    expect(snapshot(copy.workspace)).toEqual(expected);
    expect(copy.workspace.endsWith('/child/workspace')).toBe(true);
    expect(copy.left).toEqual([{ path: '.env', reason: expect.stringContaining('secret') }]);
    expect(copy.shared).toEqual([]);
  });

  it('records the new copy, so that a merge starts from what is in it', async () => {
    await using source = await newSource();
    source.put('a', 'a\n');
    source.put('.env', 'KEY=1\n');
    const copy = await source.copy();
    await using recorder = await source.trees.openRecorder(copy.workspace, copy.tree);
    expect(await recorder.record()).toBeUndefined();
    expect((await source.trees.list(copy.tree, '')).map(({ name }) => name)).toEqual(['a']);
  });

  it('copies large files from the workspace, and no write in the copy reaches the original', async () => {
    await using source = await newSource();
    const large = 'x'.repeat(2 * 1_048_576);
    source.put('deep/er/large.bin', large);
    source.put('small', 'small\n');
    const copy = await source.copy();
    expect(copy.left).toEqual([]);
    for (const path of ['deep/er/large.bin', 'small']) {
      const [own, original] = [join(copy.workspace, path), source.at(path)];
      expect(readFileSync(own, 'utf8')).toBe(readFileSync(original, 'utf8'));
      expect(lstatSync(own).ino).not.toBe(lstatSync(original).ino);
      expect(lstatSync(own).nlink).toBe(1);
      writeFileSync(own, 'changed');
      expect(readFileSync(original, 'utf8')).not.toBe('changed');
    }
  });

  it('leaves a large file that a link has replaced', async () => {
    await using source = await newSource();
    source.put('large.bin', 'x'.repeat(2 * 1_048_576));
    await using recorder = await source.trees.openRecorder(source.place.workspace, undefined);
    const tree = (await recorder.record())?.after ?? '';
    rmSync(source.at('large.bin'));
    writeFileSync(join(source.place.path, 'outside'), 'y'.repeat(2 * 1_048_576));
    symlinkSync('../outside', source.at('large.bin'));
    const copy = await source.trees.copies.make('child', { workspace: source.place.workspace, tree });
    expect(copy.left).toMatchObject([{ path: 'large.bin' }]);
    expect(existsSync(join(copy.workspace, 'large.bin'))).toBe(false);
  });

  it('shares folders of dependencies that are not recorded, and keeps new entries in the copy', async () => {
    await using source = await newSource();
    source.put('packages/app/index.ts', 'app\n');
    source.put('node_modules/lib/index.js', 'lib\n');
    source.put('node_modules/@scope/other/index.js', 'other\n');
    symlinkSync('../../packages/app', source.at('node_modules/@scope/app'));
    source.put('packages/app/node_modules/nested/index.js', 'nested\n');
    source.put('vendor/kept.txt', 'recorded\n');
    const copy = await source.copy();
    const inodeOf = (path: string) => String(lstatSync(source.at(path), { bigint: true }).ino);
    expect(copy.shared).toEqual([
      { from: source.at('node_modules'), to: 'node_modules', inode: inodeOf('node_modules') },
      {
        from: source.at('packages/app/node_modules'),
        to: 'packages/app/node_modules',
        inode: inodeOf('packages/app/node_modules'),
      },
    ]);
    const own = (path: string) => join(copy.workspace, path);
    expect(readFileSync(own('node_modules/lib/index.js'), 'utf8')).toBe('lib\n');
    expect(readFileSync(own('node_modules/@scope/other/index.js'), 'utf8')).toBe('other\n');
    expect(readFileSync(own('packages/app/node_modules/nested/index.js'), 'utf8')).toBe('nested\n');
    expect(realpathSync(own('node_modules/@scope/app'))).toBe(realpathSync(own('packages/app')));
    expect(lstatSync(own('vendor/kept.txt')).isFile()).toBe(true);
    mkdirSync(own('node_modules/.cache'));
    expect(existsSync(source.at('node_modules/.cache'))).toBe(false);
    expect(readdirSync(own('.'))).not.toContain('dist');
  });

  it('does not follow a link in the place of a folder of dependencies', async () => {
    await using source = await newSource();
    source.put('a', 'a\n');
    mkdirSync(join(source.place.path, 'elsewhere/lib'), { recursive: true });
    symlinkSync('../elsewhere', source.at('.venv'));
    const copy = await source.copy();
    expect(copy.shared).toEqual([]);
    expect(readlinkSync(join(copy.workspace, '.venv'))).toBe('../elsewhere');
  });
});

describe('copies', () => {
  it('are made once, found again and removed, also with folders that nobody may write', async () => {
    await using source = await newSource();
    source.put('locked/file', 'x\n');
    chmodSync(source.at('locked'), 0o555);
    const copy = await source.copy();
    writeFileSync(join(copy.workspace, 'own'), 'own\n');
    expect(await source.copy()).toEqual(copy);
    expect(await treesOf(source.place).copies.find('child')).toEqual(copy);
    expect(existsSync(join(copy.workspace, 'own'))).toBe(true);
    await source.trees.copies.remove('child');
    await source.trees.copies.remove('child');
    expect(await source.trees.copies.find('child')).toBeUndefined();
    expect(readdirSync(join(source.place.path, 'copies'))).toEqual([]);
    chmodSync(source.at('locked'), 0o755);
  });

  it('are made again after a kill at any moment', async () => {
    await using source = await newSource();
    source.put('a/b', 'x\n');
    source.put('c', 'y\n');
    const steps = ['entry-checked', 'entry-restored'].flatMap((step) =>
      ['a/b', 'c'].map((path) => ({ step, path })),
    );
    for (const stop of steps) {
      const killed = treesOf(source.place, (step, path) => {
        if (step === stop.step && path === stop.path) throw new Error('killed');
      });
      await expect(source.copy('child', killed)).rejects.toThrow('killed');
      expect(await source.trees.copies.find('child')).toBeUndefined();
    }
    const copy = await source.copy();
    expect(snapshot(copy.workspace)).toEqual(snapshot(source.place.workspace));
    // Killed after the files were written, and before the facts were.
    rmSync(join(copy.workspace, '../copy.json'));
    writeFileSync(join(copy.workspace, 'rest'), 'of a killed copy\n');
    expect(await source.trees.copies.find('child')).toBeUndefined();
    const again = await source.copy();
    expect(again).toEqual({ ...copy, place: again.place });
    expect(snapshot(copy.workspace)).toEqual(snapshot(source.place.workspace));
  });

  it('are swept if nobody needs them, after a day, with all leftovers', async () => {
    await using source = await newSource();
    source.put('a', 'x\n');
    const folder = join(source.place.path, 'copies');
    for (const id of ['needed', 'old', 'new']) await source.copy(id);
    mkdirSync(join(folder, 'killed/workspace'), { recursive: true });
    mkdirSync(join(folder, '.removed-1/workspace'), { recursive: true });
    const longAgo = new Date(Date.now() - 2 * 24 * 60 * 60 * 1_000);
    for (const id of ['needed', 'old', 'killed']) utimesSync(join(folder, id), longAgo, longAgo);
    const swept = await source.trees.copies.sweep(async (id) => id === 'needed');
    expect(swept.sort()).toEqual(['killed', 'old']);
    expect(readdirSync(folder).sort()).toEqual(['needed', 'new']);
    expect(await source.trees.copies.sweep(always, { now: () => Number.POSITIVE_INFINITY })).toEqual([]);
  });

  it('refuse an id that is a path', async () => {
    await using source = await newSource();
    source.put('a', 'x\n');
    for (const id of ['..', '../x', 'a/b', '', '.removed-x'])
      await expect(source.copy(id)).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('the repository of a copy', () => {
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@localhost', ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' },
      stdio: 'pipe',
    });

  async function newRepository() {
    const source = await newSource();
    source.put('a', 'one\n');
    git(source.place.workspace, 'init', '-q', '-b', 'main');
    git(source.place.workspace, 'add', '-A');
    git(source.place.workspace, 'commit', '-q', '-m', 'first');
    git(source.place.workspace, 'branch', 'other/branch');
    source.put('a', 'two\n');
    return source;
  }

  it('shows the branch, the history and the same changes as the original', async () => {
    await using source = await newRepository();
    source.put('b', 'staged\n');
    git(source.place.workspace, 'add', 'b');
    const copy = await source.copy();
    for (const args of [
      ['status', '--short', '--branch'],
      ['log', '--format=%H %s'],
      ['diff'],
      ['branch', '-a'],
    ])
      expect(git(copy.workspace, ...args)).toBe(git(source.place.workspace, ...args));
    expect(copy.shared).toMatchObject([{ from: source.at('.git/objects'), to: '.git/shared-objects' }]);
  });

  it('keeps what git does in the copy', async () => {
    await using source = await newRepository();
    git(source.place.workspace, 'remote', 'add', 'origin', source.place.workspace);
    git(source.place.workspace, 'config', 'core.hooksPath', '/nowhere');
    const copy = await source.copy();
    const before = snapshot(source.at('.git'));
    git(copy.workspace, 'commit', '-q', '-a', '-m', 'second');
    git(copy.workspace, 'branch', '-D', 'other/branch');
    git(copy.workspace, 'gc', '-q', '--prune=now');
    expect(git(copy.workspace, 'log', '--format=%s')).toBe('second\nfirst\n');
    expect(git(copy.workspace, 'fsck')).toBe('');
    expect(git(copy.workspace, 'remote')).toBe('');
    expect(git(copy.workspace, 'config', '--local', '--list')).not.toContain('hookspath');
    expect(snapshot(source.at('.git'))).toEqual(before);
  });

  it('excludes what the original excludes', async () => {
    await using source = await newRepository();
    writeFileSync(source.at('.git/info/exclude'), 'private.txt\n');
    source.put('private.txt', 'x\n');
    const copy = await source.copy();
    expect(existsSync(join(copy.workspace, 'private.txt'))).toBe(false);
    writeFileSync(join(copy.workspace, 'private.txt'), 'y\n');
    await using recorder = await source.trees.openRecorder(copy.workspace, copy.tree);
    expect(await recorder.record()).toBeUndefined();
  });

  it('is missing if `.git` is a link or a file', async () => {
    for (const replace of [
      (path: string) => symlinkSync('/etc', path),
      (path: string) => writeFileSync(path, 'gitdir: /etc\n'),
    ]) {
      await using source = await newSource();
      source.put('a', 'a\n');
      replace(source.at('.git'));
      const copy = await source.copy();
      expect(existsSync(bytesOf(join(copy.workspace, '.git')))).toBe(false);
    }
  });
});
