import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { FilesStep, WorkspaceRecorder } from '../src/record/workspace-recorder.ts';
import { newPlace, type Place, snapshot } from './support.ts';

const at = (place: Place, name: string) => join(place.workspace, name);

/** Records two states: `a/file`, `gone` and `kept` change, appear, or become something else. */
async function twoStates(place: Place, recorder: WorkspaceRecorder) {
  mkdirSync(at(place, 'a'));
  writeFileSync(at(place, 'a/file'), 'old\n');
  writeFileSync(at(place, 'kept'), 'kept\n');
  writeFileSync(at(place, 'swap'), 'a file\n');
  symlinkSync('kept', at(place, 'link'));
  const before = { tree: (await recorder.record())?.after ?? '', files: snapshot(place.workspace) };
  writeFileSync(at(place, 'a/file'), 'new\n');
  chmodSync(at(place, 'a/file'), 0o755);
  mkdirSync(at(place, 'b/c'), { recursive: true });
  writeFileSync(at(place, 'b/c/made'), 'made\n');
  rmSync(at(place, 'swap'));
  mkdirSync(at(place, 'swap'));
  writeFileSync(at(place, 'swap/inside'), 'inside\n');
  rmSync(at(place, 'link'));
  const after = { tree: (await recorder.record())?.after ?? '', files: snapshot(place.workspace) };
  return { before, after };
}

describe('restoring', () => {
  it('can be repeated after it ended at any point, in both directions', async () => {
    for (const direction of ['back', 'forth']) {
      for (let stop = 1; ; stop += 1) {
        await using place = await newPlace();
        let left = Number.POSITIVE_INFINITY;
        const passed = (step: FilesStep) => {
          if (!step.startsWith('entry-')) return;
          left -= 1;
          if (left === 0) throw new Error('killed');
        };
        const recorder = await place.open(undefined, { passed });
        const { before, after } = await twoStates(place, recorder);
        if (direction === 'forth') await recorder.restore(before.tree);
        const [from, to] = direction === 'back' ? [after, before] : [before, after];
        left = stop;
        const isDone = await recorder.restore(to.tree).then(
          () => true,
          () => false,
        );
        left = Number.POSITIVE_INFINITY;
        const again = await place.open(from.tree);
        expect((await again.restore(to.tree)).skipped).toEqual([]);
        expect(snapshot(place.workspace)).toEqual(to.files);
        expect(await again.record()).toBeUndefined();
        if (isDone) break;
        expect(stop).toBeLessThan(50);
      }
    }
  });

  it('deletes before it writes, so that a full disk has room', async () => {
    await using place = await newPlace();
    const order: string[] = [];
    const passed = (step: FilesStep, path: string) => void (step === 'entry-restored' && order.push(path));
    const recorder = await place.open(undefined, { passed });
    writeFileSync(at(place, 'a'), 'a');
    const before = (await recorder.record())?.after ?? '';
    rmSync(at(place, 'a'));
    mkdirSync(at(place, 'y'));
    writeFileSync(at(place, 'y/inside'), 'y');
    writeFileSync(at(place, 'z'), 'z');
    await recorder.record();
    await recorder.restore(before);
    expect(order).toEqual(['y/inside', 'z', 'a']);
  });

  it('removes what a killed restore left, and never records it', async () => {
    await using place = await newPlace();
    const recorder = await place.open();
    const { before, after } = await twoStates(place, recorder);
    const left = '.longhaul-restore-00000000-0000-4000-8000-000000000000.tmp';
    writeFileSync(at(place, `a/${left}`), 'half');
    expect(await recorder.record()).toBeUndefined();
    await recorder.restore(before.tree);
    expect(existsSync(at(place, `a/${left}`))).toBe(false);
    await recorder.restore(after.tree);
    expect(snapshot(place.workspace)).toEqual(after.files);
  });

  it('keeps a file that has changed since the last record, in any form', async () => {
    const changes: [string, (path: string) => void][] = [
      ['a/file', (path) => writeFileSync(path, 'other\n')],
      ['a/file', (path) => chmodSync(path, 0o600)],
      [
        'a/file',
        (path) => {
          rmSync(path);
          symlinkSync('/etc/passwd', path);
        },
      ],
      [
        'a/file',
        (path) => {
          rmSync(path);
          mkdirSync(path);
        },
      ],
      ['b/c/made', (path) => writeFileSync(path, 'other\n')],
      ['link', (path) => writeFileSync(path, 'in the way\n')],
    ];
    for (const [path, change] of changes) {
      await using place = await newPlace();
      const recorder = await place.open();
      const { before } = await twoStates(place, recorder);
      change(at(place, path));
      const changed = snapshot(place.workspace);
      const { skipped } = await recorder.restore(before.tree);
      expect(skipped.map((skip) => skip.path)).toEqual([path]);
      expect(snapshot(place.workspace)[path]).toEqual(changed[path]);
    }
  });

  it('leaves a file that changes right before it is replaced or deleted', async () => {
    for (const path of ['a/file', 'b/c/made']) {
      await using place = await newPlace();
      const passed = (step: FilesStep, shown: string) => {
        if (step === 'entry-checked' && shown === path)
          writeFileSync(at(place, path), 'at the last moment\n');
      };
      const recorder = await place.open(undefined, { passed });
      const { before } = await twoStates(place, recorder);
      const { skipped } = await recorder.restore(before.tree);
      expect(skipped).toMatchObject([{ path, reason: /has changed/ }]);
      expect(readFileSync(at(place, path), 'utf8')).toBe('at the last moment\n');
      expect(readdirSync(at(place, 'a'))).toEqual(['file']);
    }
  });

  it('keeps ignored and special files, and folders that contain them', async () => {
    await using place = await newPlace({ ignore: ['*.keep'] });
    const recorder = await place.open();
    const { before } = await twoStates(place, recorder);
    writeFileSync(at(place, 'b/c/my.keep'), 'mine');
    writeFileSync(at(place, 'swap/my.keep'), 'mine');
    const { skipped } = await recorder.restore(before.tree);
    expect(skipped).toMatchObject([{ path: 'swap', reason: /not recorded/ }]);
    expect(readFileSync(at(place, 'b/c/my.keep'), 'utf8')).toBe('mine');
    expect(readFileSync(at(place, 'swap/my.keep'), 'utf8')).toBe('mine');
    expect(existsSync(at(place, 'b/c/made'))).toBe(false);
  });

  it('leaves excepted paths as they are', async () => {
    await using place = await newPlace();
    const recorder = await place.open();
    const { before } = await twoStates(place, recorder);
    await recorder.restore(before.tree, new Set(['a/file', 'b/c/made']));
    expect(readFileSync(at(place, 'a/file'), 'utf8')).toBe('new\n');
    expect(existsSync(at(place, 'b/c/made'))).toBe(true);
    expect(readFileSync(at(place, 'swap'), 'utf8')).toBe('a file\n');
  });

  it('does not change a file outside through a hard link', async () => {
    await using place = await newPlace();
    const outside = join(place.path, 'outside');
    writeFileSync(outside, 'new\n', { mode: 0o755 });
    const recorder = await place.open();
    const { before } = await twoStates(place, recorder);
    rmSync(at(place, 'a/file'));
    chmodSync(outside, 0o755);
    linkSync(outside, at(place, 'a/file'));
    expect((await recorder.restore(before.tree)).skipped).toEqual([]);
    expect(readFileSync(outside, 'utf8')).toBe('new\n');
    expect(readFileSync(at(place, 'a/file'), 'utf8')).toBe('old\n');
  });

  it('neither writes nor deletes outside when a folder is replaced by a link at any moment', async () => {
    for (const moment of ['before', 'entry-checked', 'entry-restored'] as const) {
      for (const folder of ['a', 'b', 'swap']) {
        await using place = await newPlace();
        const outside = join(place.path, 'outside');
        mkdirSync(join(outside, 'c'), { recursive: true });
        for (const path of ['file', 'c/made', 'inside']) writeFileSync(join(outside, path), 'outside\n');
        // What is outside is as recorded, so that only the link can keep it from being changed.
        writeFileSync(join(outside, 'file'), 'new\n');
        chmodSync(join(outside, 'file'), 0o755);
        writeFileSync(join(outside, 'c/made'), 'made\n');
        writeFileSync(join(outside, 'inside'), 'inside\n');
        const expected = snapshot(outside);
        let isArmed = false;
        const swap = () => {
          isArmed = false;
          renameSync(at(place, folder), join(place.path, 'moved'));
          symlinkSync(outside, at(place, folder));
        };
        const passed = (step: FilesStep, path: string) => {
          if (isArmed && step === moment && path.startsWith(`${folder}/`)) swap();
        };
        const recorder = await place.open(undefined, { passed });
        const { before } = await twoStates(place, recorder);
        isArmed = true;
        if (moment === 'before') swap();
        await recorder.restore(before.tree);
        expect(isArmed).toBe(false);
        expect(snapshot(outside)).toEqual(expected);
      }
    }
  });
});
