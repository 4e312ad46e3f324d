import type { Config } from '@longhaul/config';
import type { SharedFolder } from '@longhaul/core';
import { isInside } from '@longhaul/core/host-paths';
import type { Session } from '@longhaul/protocol';
import { copiesFolder, databasePath } from './open-storage.ts';

/** Returns the folders that a session's workspace uses without containing them. None if it is no copy. */
export async function sharedFolders(
  { storage }: Pick<Config, 'storage'>,
  { id, workspace }: Pick<Session, 'id' | 'workspace'>,
): Promise<readonly SharedFolder[]> {
  if (storage.url.startsWith('memory:')) return [];
  const folder = copiesFolder(databasePath(storage.url));
  if (!isInside(workspace, folder)) return [];
  const { findCopy } = await import('@longhaul/files');
  const copy = await findCopy(folder, id);
  return copy?.workspace === workspace ? copy.shared : [];
}
