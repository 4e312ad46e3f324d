import type { WorkspaceFiles } from '@longhaul/core';
import { displayPath } from '@longhaul/core/tool-output';
import { describeMissing } from './describe-missing.ts';

/** Where a search looks. */
export interface SearchPlace {
  files: WorkspaceFiles;
  /** Relative to `files`. */
  path: string;
  /** Returns a path of `files` as the model can use it. */
  whole: (path: string) => string;
}

/** Finds the file or folder to search. A search outside the workspace gets the files of its folder alone. */
export async function findPlace(
  files: WorkspaceFiles,
  given = '',
): Promise<SearchPlace | { refusal: string }> {
  const info = await files.stat(given);
  if (info === undefined) return { refusal: await describeMissing(files, given) };
  const path = await files.resolve(given);
  // Reading a pipe or a device could block forever.
  if (info.kind === 'other') return { refusal: `${displayPath(path)} is not a regular file or a folder.` };
  if (!path.startsWith('/') || files.elsewhere === undefined) return { files, path, whole: (below) => below };
  if (path === '/')
    return { refusal: '`path` is the whole machine: name a folder below it, or use find with bash.' };
  const folder = info.kind === 'directory' ? path : path.slice(0, path.lastIndexOf('/')) || '/';
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return {
    files: files.elsewhere(folder),
    path: path.slice(prefix.length),
    whole: (below) => prefix + below,
  };
}
