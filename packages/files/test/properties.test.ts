import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFileTrees } from '../src/index.ts';
import { apply, edits } from './random-edits.ts';
import { KEY, newPlace, SETTINGS, snapshot } from './support.ts';

it('restores every recorded tree byte for byte, with modes and links, after any edits', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(edits, { minLength: 2, maxLength: 5 }), async (rounds) => {
      await using place = await newPlace();
      const recorder = await place.open();
      const recorded: { tree: string; files: Record<string, string> }[] = [];
      for (const round of rounds) {
        for (const edit of round) apply(place.workspace, edit);
        const change = await recorder.record();
        if (change !== undefined) recorded.push({ tree: change.after, files: snapshot(place.workspace) });
        else expect(snapshot(place.workspace)).toEqual(recorded.at(-1)?.files);
      }
      expect(await recorder.record()).toBeUndefined();
      for (const { tree, files } of [...recorded].reverse().concat(recorded)) {
        expect((await recorder.restore(tree)).skipped).toEqual([]);
        expect(snapshot(place.workspace)).toEqual(files);
        expect(await recorder.record()).toBeUndefined();
      }
    }),
    { numRuns: 30 },
  );
});

it('materialises any tree in another folder', async () => {
  await fc.assert(
    fc.asyncProperty(edits, edits, async (first, second) => {
      await using place = await newPlace();
      const recorder = await place.open();
      for (const edit of first) apply(place.workspace, edit);
      await recorder.record();
      for (const edit of second) apply(place.workspace, edit);
      const change = await recorder.record();
      if (change === undefined) return;
      const trees = createFileTrees({
        blobs: place.blobs,
        cacheFolder: join(place.path, 'cache'),
        key: KEY,
        settings: SETTINGS,
      });
      const target = join(place.path, 'other');
      rmSync(target, { recursive: true, force: true });
      mkdirSync(target);
      expect((await trees.materialise(change.after, target)).skipped).toEqual([]);
      expect(snapshot(target)).toEqual(snapshot(place.workspace));
    }),
    { numRuns: 25 },
  );
});
