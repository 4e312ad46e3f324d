import { join } from 'node:path';
import type { Config } from '@longhaul/config';
import type { FileTrees, MovingWorkspaces } from '@longhaul/core';
import { addAgentFolder } from '@longhaul/core/host-programs';
import { machineName } from './machine-name.ts';
import type { Storage } from './open-storage.ts';

/**
 * Returns what makes the folders of sessions that move between machines, or undefined for sessions in memory. Nothing is
 * loaded before the first use: most sessions work in a folder of the user.
 */
export function movingWorkspaces(
  { git, cluster }: Pick<Config, 'git' | 'cluster'>,
  {
    storage: { folder, copies },
    trees,
  }: { storage: Pick<Storage, 'folder' | 'copies'>; trees: FileTrees | undefined },
): MovingWorkspaces | undefined {
  if (folder === undefined || copies === undefined || trees === undefined) return undefined;
  let opened: Promise<MovingWorkspaces> | undefined;
  const open = async () => {
    addAgentFolder(copies);
    const { createMovingWorkspaces } = await import('@longhaul/files');
    return createMovingWorkspaces({
      folder: copies,
      cacheFolder: join(folder, 'git-cache'),
      machine: machineName(cluster),
      tokens: git.tokens,
      trees,
    });
  };
  const workspaces = () => (opened ??= open());
  return {
    folderOf: async (...args) => (await workspaces()).folderOf(...args),
    record: async (...args) => (await workspaces()).record(...args),
    settle: async (...args) => (await workspaces()).settle(...args),
  };
}
