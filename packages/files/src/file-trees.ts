import { join } from 'node:path';
import type { BlobStore, FileTrees } from '@longhaul/core';
import { copyWorkspace } from './copy/copy-workspace.ts';
import { createWorkspaceCopies } from './copy/workspace-copies.ts';
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
  /** A folder outside all workspaces, for copies of workspaces and nothing else. Default: `copies` beside the cache. */
  copiesFolder?: string | undefined;
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
  const openRecorder = (workspace: string, tree: string | undefined) =>
    new RecorderThread({ workspace, tree, blobs, cacheFolder, key, settings, passed });
  const write = async (tree: string, folder: string) => {
    const reader = newReader();
    return materialise({ reader, tree: await reader.open(tree), folder, settings, key, passed });
  };
  const copies = createWorkspaceCopies({
    folder: options.copiesFolder ?? join(cacheFolder, '../copies'),
    async write({ workspace, tree }, folder) {
      const reader = newReader();
      const opened = await reader.open(tree);
      return copyWorkspace({ reader, tree: opened, original: workspace, folder, settings, key, passed });
    },
    restore: async (tree, folder) => (await write(tree, folder)).skipped,
    async record(workspace, tree) {
      await using recorder = openRecorder(workspace, tree);
      return (await recorder.record())?.after ?? tree;
    },
  });
  return {
    copies,
    packsOf: (trees) => packsOf(blobs, trees),
    openRecorder: async (workspace, tree) => openRecorder(workspace, tree),
    async changes(before, after, { limit } = {}) {
      const reader = newReader();
      await using differ = new DiffThread();
      return await changedFiles(reader, await reader.open(before), await reader.open(after), {
        limit,
        differ,
      });
    },
    async *diff(before, after, shown) {
      const reader = newReader();
      await using differ = new DiffThread();
      yield* unifiedDiff(reader, await reader.open(before), await reader.open(after), { ...shown, differ });
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
    materialise: write,
  };
}
