import { grantable } from './grantable.ts';
import type { ProjectTrust } from './project-trust.ts';
import type { TrustStore } from './trust-store.ts';

/**
 * Stores trust in everything that a project's files want. What a workspace's own files want is stored for this
 * workspace alone, so trust in other workspaces below the same `longhaul.yml` stays.
 */
export async function storeTrust({ workspace, file, wants }: ProjectTrust, store: TrustStore): Promise<void> {
  const ids = (folder: string | undefined) =>
    grantable(wants).flatMap((want) => (want.folder === folder ? [want.id] : []));
  if (file !== workspace) await store.put(workspace, ids(undefined));
  const folders = new Set(wants.flatMap(({ folder }) => folder ?? []));
  for (const folder of folders) await store.put(folder, ids(folder), 'files');
}
