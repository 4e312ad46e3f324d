import type { BlobStore, FileTrees } from '@longhaul/core';
import { changedFiles } from './diff/file-changes.ts';
import { unifiedDiff } from './diff/unified-diff.ts';
import type { FilesSettings } from './files-settings.ts';
import { listFolder, readFileOf } from './format/look-up.ts';
import { PackSource } from './format/pack-source.ts';
import { TreeReader } from './format/tree.ts';
import { packsOf } from './maintenance/packs-of.ts';
import { mergeTrees } from './merge/merge-trees.ts';
import type { FilesStep } from './record/workspace-recorder.ts';
import { materialise } from './restore/materialise.ts';
import { DiffThread } from './worker/diff-thread.ts';
import { RecorderThread } from './worker/recorder-thread.ts';

export interface FileTreesOptions {
  blobs: BlobStore;
  /** A folder outside all workspaces, for what is known of their files. It may be lost or damaged at any time. */
  cacheFolder: string;
  /** For the hashes of secrets: at least 16 random bytes, the same for all calls of a store. */
  key: Uint8Array;
  settings: FilesSettings;
  /** For tests: called between the effects of recording and restoring. The work waits for its return. */
  passed?: ((step: FilesStep, path: string) => void) | undefined;
}

/** Creates trees in a blob store. */
export function createFileTrees(options: FileTreesOptions): FileTrees {
  const { blobs, cacheFolder, key, settings, passed } = options;
  const newReader = () => new TreeReader(new PackSource(blobs));
  return {
    packsOf: (trees) => packsOf(blobs, trees),
    async openRecorder(workspace, tree) {
      return new RecorderThread({ workspace, tree, blobs, cacheFolder, key, settings, passed });
    },
    async changes(before, after, { limit } = {}) {
      const reader = newReader();
      await using differ = new DiffThread();
      return await changedFiles(reader, await reader.open(before), await reader.open(after), {
        limit,
        differ,
      });
    },
    async *diff(before, after, { except } = {}) {
      const reader = newReader();
      await using differ = new DiffThread();
      yield* unifiedDiff(reader, await reader.open(before), await reader.open(after), { differ, except });
    },
    async list(tree, path) {
      const reader = newReader();
      return listFolder(reader, await reader.open(tree), path);
    },
    async read(tree, path, { maxBytes }) {
      const reader = newReader();
      return readFileOf(reader, await reader.open(tree), { path, maxBytes });
    },
    async merge(request) {
      await using differ = new DiffThread();
      const put = async ({ bytes }: { bytes: Buffer }) => void (await blobs.put(bytes));
      return await mergeTrees(request, { reader: newReader(), differ, put });
    },
    async materialise(tree, folder) {
      const reader = newReader();
      return materialise({ reader, tree: await reader.open(tree), folder, settings, key, passed });
    },
  };
}
