import type { SharedFolder, WorkspaceCopy } from '@longhaul/core';
import { type MaterialiseOptions, materialise } from '../restore/materialise.ts';
import { OpenFolder } from '../walk/open-folder.ts';
import { copyLargeFiles } from './copy-large-files.ts';
import { copyRepository } from './copy-repository.ts';
import { shareDependencies } from './share-dependencies.ts';

export interface CopyWorkspaceOptions extends MaterialiseOptions {
  /** Real path of the workspace that is copied. */
  original: string;
}

/**
 * Copies a workspace into a new folder: the files of a recorded tree, large files as they are now, and what git needs.
 * Folders with dependencies become links. The copy has no hard links, so writing into it never changes the original.
 */
export async function copyWorkspace(
  options: CopyWorkspaceOptions,
): Promise<Pick<WorkspaceCopy, 'shared' | 'left'>> {
  const { reader, tree, folder, original } = options;
  const { skipped } = await materialise(options);
  using source = OpenFolder.openRoot(original);
  using target = OpenFolder.openRoot(folder);
  const copied = await copyLargeFiles({ reader, source, target, tree });
  const shared: SharedFolder[] = [];
  await shareDependencies({ reader, source, target, tree, original, shared });
  const objects = copyRepository({ source, target, original });
  if (objects !== undefined) shared.push(objects);
  return { shared, left: skipped.filter(({ path }) => !copied.has(path)) };
}
