import { relative, sep } from 'node:path';
import type { Config } from '@longhaul/config';
import type { SandboxOptions } from '@longhaul/core';
import { isInside } from '@longhaul/core/host-paths';
import type { Session } from '@longhaul/protocol';
import { storagePlace } from './storage-place.ts';

/** Returns what the sandbox of a copied workspace needs. Nothing if the workspace is no copy. */
export async function copyOptions(
  { storage }: Pick<Config, 'storage'>,
  { workspace }: Pick<Session, 'workspace'>,
): Promise<Pick<SandboxOptions, 'isCopy' | 'sharedFolders'>> {
  const folder = storagePlace(storage.url)?.copies;
  if (folder === undefined || !isInside(workspace, folder)) return {};
  const { findCopy, isMovingWorkspace } = await import('@longhaul/files');
  // A child of the session that has the copy can work in it, too.
  const [id = ''] = relative(folder, workspace).split(sep);
  const copy = await findCopy(folder, id);
  if (copy?.workspace === workspace) return { isCopy: true, sharedFolders: copy.shared };
  return (await isMovingWorkspace(folder, workspace)) ? { isCopy: true } : {};
}
