import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { FileTrees, MergedFiles } from '@longhaul/core';
import { createFileTrees } from '../src/index.ts';
import { KEY, newPlace, type Place, SETTINGS, snapshot } from './support.ts';

const LABELS = { ours: 'here', theirs: 'task m12.3' };

/** Records states of one folder, and merges them. */
export interface MergePlace extends AsyncDisposable {
  readonly place: Place;
  readonly trees: FileTrees;
  /** Records what `write` makes of an empty folder, or of a state. */
  state(write: (folder: string) => void, from?: string): Promise<string>;
  merge(
    base: string,
    { ours, theirs }: { ours: string; theirs: string },
    conflicts?: 'refuse' | 'markers',
  ): Promise<MergedFiles>;
  /** Everything in a state. */
  filesOf(tree: string): Promise<Record<string, string>>;
}

export async function newMergePlace(): Promise<MergePlace> {
  const place = await newPlace();
  const options = {
    blobs: place.blobs,
    cacheFolder: join(place.path, 'cache'),
    key: KEY,
    settings: SETTINGS,
  };
  const trees = createFileTrees(options);
  let folders = 0;
  const emptyFolder = () => {
    folders += 1;
    return join(place.path, `state-${folders}`);
  };
  return {
    place,
    trees,
    async state(write, from) {
      const workspace = place.workspace;
      rmSync(workspace, { recursive: true, force: true });
      mkdirSync(workspace);
      if (from !== undefined) await trees.materialise(from, workspace);
      write(workspace);
      const recorder = await place.open(from);
      const { after } = (await recorder.record()) ?? {};
      return after ?? from ?? '';
    },
    merge: (base, { ours, theirs }, conflicts = 'refuse') =>
      trees.merge({ base, ours, theirs, conflicts, labels: LABELS }),
    async filesOf(tree) {
      const folder = emptyFolder();
      await trees.materialise(tree, folder);
      return snapshot(folder);
    },
    [Symbol.asyncDispose]: () => place[Symbol.asyncDispose](),
  };
}
