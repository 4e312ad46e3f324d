import type { WorkspaceFiles } from '@longhaul/core';
import { displayPath } from '@longhaul/core/tool-output';
import { nearestNames } from '@longhaul/protocol';

/**
 * Tells a model that its path does not exist, and what to do: up to three similar names in the same folder, the missing
 * folder, or a search.
 */
export async function describeMissing(files: WorkspaceFiles, path: string): Promise<string> {
  const relative = await files.resolve(path);
  const slash = relative.lastIndexOf('/');
  const folder = slash === 0 ? '/' : relative.slice(0, Math.max(0, slash));
  const missing = `${displayPath(relative)} does not exist.`;
  if (folder !== '' && (await files.stat(folder)) === undefined) {
    return `${missing} Nor does its folder ${displayPath(folder)}. Find the path with glob or list.`;
  }
  const names = (await files.list(folder)).map((entry) => entry.name);
  const near = nearestNames(relative.slice(slash + 1), names, { limit: 3 });
  if (near.length === 0) return `${missing} Find the path with glob or list.`;
  const inFolder = folder === '' || folder === '/' ? folder : `${folder}/`;
  return `${missing} Did you mean ${near.map((name) => displayPath(inFolder + name)).join(' or ')}?`;
}
