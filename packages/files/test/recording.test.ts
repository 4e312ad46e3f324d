import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { describe, expect, it } from 'vitest';
import type { FilesStep } from '../src/record/workspace-recorder.ts';
import { newPlace, type Place, snapshot } from './support.ts';

const at = (place: Place, name: string) => join(place.workspace, name);
const pathsOf = (change: { files: { path: string }[] } | undefined) => change?.files.map(({ path }) => path);
/** A clock at which everything that was written until now is settled. */
const later = () => Date.now() + 10_000;

describe('files that change at a bad moment', () => {
  it('notices a change within the same time stamp and size as the recorded content', async () => {
    await using place = await newPlace();
    const file = at(place, 'file');
    writeFileSync(file, 'one');
    const { mtime, atime } = statSync(file);
    const recorder = await place.open();
    await recorder.record();
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
    expect(pathsOf(await recorder.record())).toEqual(['file']);
  });

  it('reads a recently written file again, and a settled one only if it changes', async () => {
    await using place = await newPlace();
    writeFileSync(at(place, 'file'), 'one');
    const reads: string[] = [];
    const passed = (step: FilesStep, path: string) => {
      if (step === 'file-read') reads.push(path);
    };
    let now = Date.now();
    const recorder = await place.open(undefined, { passed, now: () => now });
    await recorder.record();
    await recorder.record();
    expect(reads).toEqual(['file', 'file']);
    now = later();
    await recorder.record();
    await recorder.record();
    expect(reads).toEqual(['file', 'file', 'file']);
  });

  it('reads a file again that grows while it is read, and records a content that it had', async () => {
    await using place = await newPlace();
    const file = at(place, 'file');
    writeFileSync(file, 'line\n');
    let grows = 2;
    const passed = (step: FilesStep) => {
      if (step === 'file-read' && grows > 0) {
        grows -= 1;
        appendFileSync(file, 'line\n');
      }
    };
    const recorder = await place.open(undefined, { passed, now: later });
    const first = await recorder.record();
    expect(await recorder.record()).toBeUndefined();
    appendFileSync(file, 'changed\n');
    const second = await recorder.record();
    expect(second?.files).toMatchObject([{ path: 'file', added: 1, removed: 0 }]);
    await recorder.restore(first?.after ?? '');
    expect(readFileSync(file, 'utf8')).toBe('line\n'.repeat(3));
  });

  it('finishes while a file keeps growing, and finds its last content later', async () => {
    await using place = await newPlace();
    const file = at(place, 'file');
    writeFileSync(file, 'x');
    let isGrowing = true;
    const passed = (step: FilesStep) => {
      if (step === 'file-read' && isGrowing) appendFileSync(file, 'x');
    };
    const recorder = await place.open(undefined, { passed, now: later });
    await recorder.record();
    isGrowing = false;
    expect(pathsOf(await recorder.record())).toEqual(['file']);
    expect(await recorder.record()).toBeUndefined();
  });

  it('records a file that shrinks while it is read', async () => {
    await using place = await newPlace();
    const file = at(place, 'file');
    writeFileSync(file, 'x'.repeat(100));
    let isFirst = true;
    const passed = (step: FilesStep) => {
      if (step === 'file-read' && isFirst) {
        isFirst = false;
        truncateSync(file, 3);
      }
    };
    const recorder = await place.open(undefined, { passed });
    const change = await recorder.record();
    writeFileSync(file, 'other');
    await recorder.record();
    await recorder.restore(change?.after ?? '');
    expect(readFileSync(file, 'utf8')).toBe('xxx');
  });
});

describe('links and special files', () => {
  it('never reads through a link, and records what it names', async () => {
    await using place = await newPlace();
    mkdirSync(join(place.path, 'outside'));
    writeFileSync(join(place.path, 'outside', 'key'), 'PLANTED');
    symlinkSync(join(place.path, 'outside'), at(place, 'folder'));
    symlinkSync(join(place.path, 'outside', 'key'), at(place, 'file'));
    symlinkSync('gone', at(place, '.gitignore'));
    const recorder = await place.open();
    const change = await recorder.record();
    rmSync(at(place, 'folder'));
    rmSync(at(place, 'file'));
    await recorder.record();
    await recorder.restore(change?.after ?? '');
    expect(snapshot(place.workspace)).toEqual({
      '.gitignore': 'link gone',
      file: `link ${join(place.path, 'outside', 'key')}`,
      folder: `link ${join(place.path, 'outside')}`,
    });
  });

  it('does not enter a folder that is replaced by a link while it is recorded', async () => {
    await using place = await newPlace();
    mkdirSync(at(place, 'a/inner'), { recursive: true });
    writeFileSync(at(place, 'a/inner/key'), 'own');
    mkdirSync(join(place.path, 'outside/inner'), { recursive: true });
    writeFileSync(join(place.path, 'outside/inner/key'), 'PLANTED');
    for (const moment of ['', 'a', 'a/inner']) {
      const stored: Uint8Array[] = [];
      const passed = (step: FilesStep, path: string) => {
        if (step !== 'folder-opened' || path !== moment) return;
        renameSync(at(place, 'a'), join(place.path, 'moved'));
        symlinkSync(join(place.path, 'outside'), at(place, 'a'));
      };
      const blobs = {
        read: (id: string, range: { start: number; length: number }) => place.blobs.read(id, range),
        stat: (id: string) => place.blobs.stat(id),
        putPack: async ({ bytes }: { bytes: Uint8Array }) => {
          stored.push(bytes);
          await place.blobs.put(bytes);
        },
      };
      const recorder = await place.open(undefined, { passed, blobs });
      await recorder.record();
      expect(Buffer.concat(stored).includes('PLANTED')).toBe(false);
      rmSync(at(place, 'a'));
      renameSync(join(place.path, 'moved'), at(place, 'a'));
    }
  });

  it('refuses a workspace that became a link or another folder', async () => {
    await using place = await newPlace();
    const recorder = await place.open();
    await recorder.record();
    renameSync(place.workspace, join(place.path, 'moved'));
    mkdirSync(join(place.path, 'outside'));
    symlinkSync(join(place.path, 'outside'), place.workspace);
    await expect(recorder.record()).rejects.toMatchObject({ code: 'not_found' });
    rmSync(place.workspace);
    mkdirSync(place.workspace);
    await expect(recorder.record()).rejects.toMatchObject({ code: 'not_found' });
    rmSync(place.workspace, { recursive: true });
    await expect(recorder.record()).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('ignored and secret files', () => {
  it('follows nested ignore files with negation, the exclude file of git, and the settings', async () => {
    await using place = await newPlace({ ignore: ['*.tmp', '/top/'] });
    const ignored = {
      '.git/config': '',
      '.git/info/exclude': 'excluded\n',
      'sub/.git/HEAD': '',
      excluded: '',
      'a.log': '',
      'sub/b.log': '',
      'build/out': '',
      'sub/build/out': '',
      'x.tmp': '',
      'top/file': '',
      'sub/{a,b}': '',
      'sub/deep/all/x': '',
    };
    const kept = {
      '.gitignore': '*.log\n!keep.log\nbuild/\n# comment\n\\#odd\n',
      'sub/.gitignore': '!c.log\n{a,b}\n/deep/*\n!/deep/kept\n',
      'keep.log': '',
      'sub/c.log': '',
      'sub/a': '',
      'sub/deep/kept/file': '',
      'inner/top/file': '',
      'sub/file': '',
    };
    for (const [path, content] of Object.entries({ ...ignored, ...kept })) {
      mkdirSync(join(at(place, path), '..'), { recursive: true });
      writeFileSync(at(place, path), content);
    }
    const recorder = await place.open();
    const empty = await (await newPlaceIn(place)).record();
    const change = await recorder.record();
    const { createFileTrees } = await import('../src/index.ts');
    const trees = createFileTrees({
      blobs: place.blobs,
      cacheFolder: place.path,
      key: Buffer.alloc(32),
      settings: { ignore: [], secret: [], maxFileMb: 1 },
    });
    const { files } = await trees.changes(empty?.after ?? '', change?.after ?? '');
    expect(pathsOf({ files })).toEqual(Object.keys(kept).sort());
  });

  it('keeps recording a file that an ignore file names later', async () => {
    await using place = await newPlace();
    writeFileSync(at(place, 'notes'), 'one\n');
    const recorder = await place.open();
    const first = await recorder.record();
    writeFileSync(at(place, '.gitignore'), 'notes\nother\n');
    writeFileSync(at(place, 'other'), '');
    expect(pathsOf(await recorder.record())).toEqual(['.gitignore']);
    writeFileSync(at(place, 'notes'), 'two\n');
    expect(pathsOf(await recorder.record())).toEqual(['notes']);
    await recorder.restore(first?.after ?? '');
    expect(snapshot(place.workspace)).toEqual({ notes: 'file 644 one\n', other: 'file 644 ' });
  });

  it('stores of secrets neither content nor plain hash nor size, and never writes or deletes them', async () => {
    await using place = await newPlace({ secret: ['*.token'] });
    const stored: Uint8Array[] = [];
    const blobs = {
      read: (id: string, range: { start: number; length: number }) => place.blobs.read(id, range),
      stat: (id: string) => place.blobs.stat(id),
      putPack: async ({ bytes }: { bytes: Uint8Array }) => {
        stored.push(bytes);
        await place.blobs.put(bytes);
      },
    };
    const recorder = await place.open(undefined, { blobs });
    writeFileSync(at(place, '.env'), 'PLANTED');
    writeFileSync(at(place, '.env.example'), 'example');
    const before = await recorder.record();
    writeFileSync(at(place, '.env'), 'PLANTED2');
    writeFileSync(at(place, 'a.token'), 'PLANTED3');
    const after = await recorder.record();
    expect(after?.files).toEqual([
      { path: '.env', change: 'modified', restorable: false },
      { path: 'a.token', change: 'added', restorable: false },
    ]);
    const { skipped } = await recorder.restore(before?.after ?? '');
    expect(skipped.map(({ path }) => path)).toEqual(['.env', 'a.token']);
    expect(readFileSync(at(place, '.env'), 'utf8')).toBe('PLANTED2');
    expect(existsSync(at(place, 'a.token'))).toBe(true);
    const { createHash } = await import('node:crypto');
    const all = Buffer.concat(stored);
    for (const text of ['PLANTED', 'PLANTED2', 'PLANTED3']) {
      expect(all.includes(text)).toBe(false);
      expect(all.includes(createHash('sha256').update(text).digest())).toBe(false);
    }
  });

  it('records of a file that is too large only that it changed', async () => {
    await using place = await newPlace({ maxFileMb: 1 });
    const recorder = await place.open();
    writeFileSync(at(place, 'large'), Buffer.alloc(1_048_577));
    writeFileSync(at(place, 'fits'), Buffer.alloc(1_048_576));
    const before = await recorder.record();
    writeFileSync(at(place, 'large'), Buffer.alloc(1_048_577, 1));
    expect((await recorder.record())?.files).toEqual([
      { path: 'large', change: 'modified', restorable: false },
    ]);
    const { skipped } = await recorder.restore(before?.after ?? '');
    expect(skipped).toMatchObject([{ path: 'large', reason: /larger than `files.maxFileMb`/ }]);
    expect(readFileSync(at(place, 'large'))[0]).toBe(1);
  });

  it('accepts a limit that is not a whole number of bytes', async () => {
    await using place = await newPlace({ maxFileMb: 0.01 });
    const recorder = await place.open();
    await recorder.record();
    writeFileSync(at(place, 'fits'), Buffer.alloc(10_485));
    writeFileSync(at(place, 'large'), Buffer.alloc(10_486));
    expect((await recorder.record())?.files).toMatchObject([
      { path: 'fits', restorable: true },
      { path: 'large', restorable: false },
    ]);
  });
});

describe('contents', () => {
  it('restores files of several pieces, hard links, empty files and a tree of 200 levels', async () => {
    await using place = await newPlace({ maxFileMb: 30 });
    const big = Buffer.alloc(9_500_000);
    for (let index = 0; index < big.length; index += 1) big[index] = (index * index) % 251;
    writeFileSync(at(place, 'big'), big);
    writeFileSync(at(place, 'empty'), '');
    linkSync(at(place, 'big'), at(place, 'same'));
    const deep = Array.from({ length: 200 }, (_, level) => `level${level}`).join('/');
    mkdirSync(at(place, deep), { recursive: true });
    writeFileSync(at(place, `${deep}/file`), 'deep');
    const recorder = await place.open();
    const change = await recorder.record();
    const files = snapshot(place.workspace);
    for (const name of readdirSync(place.workspace)) rmSync(at(place, name), { recursive: true });
    await recorder.record();
    expect((await recorder.restore(change?.after ?? '')).skipped).toEqual([]);
    expect(snapshot(place.workspace)).toEqual(files);
  });

  it('stores a content once, wherever it is moved', async () => {
    await using place = await newPlace();
    const sizes: number[] = [];
    const blobs = {
      read: (id: string, range: { start: number; length: number }) => place.blobs.read(id, range),
      stat: (id: string) => place.blobs.stat(id),
      putPack: async ({ bytes }: { bytes: Uint8Array }) => {
        sizes.push(bytes.length);
        await place.blobs.put(bytes);
      },
    };
    const recorder = await place.open(undefined, { blobs });
    const { randomBytes } = await import('node:crypto');
    writeFileSync(at(place, 'a'), randomBytes(100_000));
    await recorder.record();
    mkdirSync(at(place, 'folder'));
    renameSync(at(place, 'a'), at(place, 'folder/b'));
    const change = await recorder.record();
    expect(change?.files).toMatchObject([{ path: 'folder/b', change: 'renamed', from: 'a' }]);
    expect(sizes.at(-1)).toBeLessThan(1_000);
  });
});

describe('faults', () => {
  it('throws store_full, records nothing, and is complete at the next call', async () => {
    await using place = await newPlace();
    let isFull = false;
    const blobs = {
      read: (id: string, range: { start: number; length: number }) => place.blobs.read(id, range),
      stat: (id: string) => place.blobs.stat(id),
      putPack: async ({ bytes }: { bytes: Uint8Array }) => {
        if (isFull) throw new LonghaulError('store_full', 'full');
        await place.blobs.put(bytes);
      },
    };
    const recorder = await place.open(undefined, { blobs });
    writeFileSync(at(place, 'one'), 'one');
    const first = await recorder.record();
    mkdirSync(at(place, 'folder'));
    writeFileSync(at(place, 'folder/two'), 'two');
    isFull = true;
    await expect(recorder.record()).rejects.toMatchObject({ code: 'store_full' });
    writeFileSync(at(place, 'three'), 'three');
    isFull = false;
    const second = await recorder.record();
    expect(second?.before).toBe(first?.after);
    expect(pathsOf(second)).toEqual(['folder/two', 'three']);
    const files = snapshot(place.workspace);
    await recorder.restore(first?.after ?? '');
    expect((await recorder.restore(second?.after ?? '')).skipped).toEqual([]);
    expect(snapshot(place.workspace)).toEqual(files);
  });

  it('begins again after a tree that is missing or damaged', async () => {
    await using place = await newPlace();
    writeFileSync(at(place, 'file'), 'one');
    const damaged = await place.blobs.put('not a pack');
    for (const tree of [`@tree:${'0'.repeat(64)}`, `@tree:${damaged.id}`, 'nonsense']) {
      const change = await (await place.open(tree)).record();
      expect(change).toMatchObject({ after: expect.stringMatching(/^@tree:/), files: [] });
      expect(change?.before).toBeUndefined();
    }
  });

  it('uses the facts of an earlier process, and does without them if they are lost, damaged or foreign', async () => {
    await using place = await newPlace();
    await using other = await newPlace();
    const cache = join(place.path, 'cache');
    const reads: string[] = [];
    const passed = (step: FilesStep, path: string) => {
      if (step === 'file-read') reads.push(path);
    };
    writeFileSync(at(place, 'file'), 'one');
    const recorder = await place.open(undefined, { now: later });
    const first = await recorder.record();
    recorder.close();
    const [name = ''] = readdirSync(cache);
    const good = readFileSync(join(cache, name));
    const readsWith = async (bytes: Buffer | undefined) => {
      reads.length = 0;
      if (bytes === undefined) rmSync(join(cache, name), { force: true });
      else writeFileSync(join(cache, name), bytes);
      const next = await place.open(first?.after, { passed });
      expect(await next.record()).toBeUndefined();
      return reads.length;
    };
    expect(await readsWith(good)).toBe(0);
    expect(await readsWith(undefined)).toBe(1);
    for (let at = 0; at < good.length; at += 7) {
      const flipped = Buffer.from(good);
      flipped[at] = (flipped[at] ?? 0) ^ 0x40;
      expect(await readsWith(flipped)).toBe(1);
    }
    expect(await readsWith(good.subarray(0, 40))).toBe(1);
    expect(await readsWith(Buffer.alloc(0))).toBe(1);
    writeFileSync(at(other, 'file'), 'two');
    const foreign = await other.open(undefined, { now: later });
    await foreign.record();
    foreign.close();
    const [otherName = ''] = readdirSync(join(other.path, 'cache'));
    expect(await readsWith(readFileSync(join(other.path, 'cache', otherName)))).toBe(1);
  });

  it('writes nothing but its cache file outside the blob store', async () => {
    await using place = await newPlace();
    mkdirSync(at(place, 'folder'));
    writeFileSync(at(place, 'folder/file'), 'one');
    chmodSync(at(place, 'folder'), 0o555);
    const before = snapshot(place.workspace);
    const recorder = await place.open();
    await recorder.record();
    recorder.close();
    expect(snapshot(place.workspace)).toEqual(before);
    expect(readdirSync(place.path).sort()).toEqual(['cache', 'workspace']);
    expect(readdirSync(join(place.path, 'cache'))).toHaveLength(1);
  });
});

/** A recorder of an empty workspace with the same blobs. */
async function newPlaceIn(place: Place) {
  const { WorkspaceRecorder } = await import('../src/record/workspace-recorder.ts');
  const workspace = join(place.path, 'nothing');
  mkdirSync(workspace);
  return WorkspaceRecorder.open(
    {
      workspace,
      blobs: {
        read: (id, range) => place.blobs.read(id, range),
        stat: (id) => place.blobs.stat(id),
        putPack: async ({ bytes }) => void (await place.blobs.put(bytes)),
      },
      cacheFolder: join(place.path, 'cache'),
      key: Buffer.alloc(32),
      settings: { ignore: [], secret: [], maxFileMb: 1 },
      now: Date.now,
      passed: () => undefined,
    },
    undefined,
  );
}
