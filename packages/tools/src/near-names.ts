import type { WorkspaceFiles } from '@longhaul/core';
import { displayPath } from '@longhaul/core/tool-output';

/**
 * What to tell a model whose path is not there: names in that folder that look like the one it asked for, or how far the
 * path exists.
 */
export async function describeMissing(files: WorkspaceFiles, path: string): Promise<string> {
  const relative = await files.resolve(path);
  const slash = relative.lastIndexOf('/');
  const folder = relative.slice(0, Math.max(0, slash));
  const missing = `${displayPath(relative)} does not exist.`;
  if (folder !== '' && (await files.stat(folder)) === undefined) {
    return `${missing} Nor does its folder ${displayPath(folder)}. Find the path with glob or list.`;
  }
  const entries = await files.list(folder);
  const near = nearestNames(
    relative.slice(slash + 1),
    entries.map((entry) => entry.name),
  );
  if (near.length === 0) return `${missing} Find the path with glob or list.`;
  const inFolder = folder === '' ? '' : `${folder}/`;
  return `${missing} Did you mean ${near.map((name) => displayPath(inFolder + name)).join(' or ')}?`;
}

/** Up to three names, most similar first. */
export function nearestNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, score: similarity(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ score }) => score >= 0.5)
    .sort((left, right) => right.score - left.score || (left.name < right.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** Share of two-character pieces that both have (Dice's coefficient): 1 for equal texts, linear in their length. */
export function similarity(left: string, right: string): number {
  if (left === right) return 1;
  if (left.length < 2 || right.length < 2) return 0;
  const pieces = new Map<string, number>();
  for (let index = 0; index + 2 <= left.length; index += 1) {
    const piece = left.slice(index, index + 2);
    pieces.set(piece, (pieces.get(piece) ?? 0) + 1);
  }
  let common = 0;
  for (let index = 0; index + 2 <= right.length; index += 1) {
    const piece = right.slice(index, index + 2);
    const count = pieces.get(piece) ?? 0;
    if (count === 0) continue;
    pieces.set(piece, count - 1);
    common += 1;
  }
  return (2 * common) / (left.length + right.length - 2);
}
