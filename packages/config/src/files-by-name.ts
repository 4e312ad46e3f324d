import { realpath } from 'node:fs/promises';
import { readUserFile } from './read-user-file.ts';
import type { ReadProjectFile } from './trust/project-files.ts';

const MAX_BYTES = 1_000_000;

/** A file that a person wrote, under the name by which it is used. */
export interface NamedFile {
  name: string;
  /** Absolute. */
  path: string;
}

/** Returns the files of several folders. Of files with one name, the first folder's counts. */
export async function filesByName<File extends NamedFile>(
  folders: readonly string[],
  filesIn: (folder: string) => Promise<readonly File[]>,
): Promise<File[]> {
  const found = new Map<string, File>();
  for (const folder of folders)
    for (const file of await filesIn(folder)) if (!found.has(file.name)) found.set(file.name, file);
  return [...found.values()];
}

/** Reads files of a workspace. One behind a link that leads out of the workspace has a problem instead of bytes. */
export async function readNamedProjectFiles<File extends NamedFile>(
  files: readonly File[],
  workspace: string,
): Promise<(File & { origin: 'project'; file: ReadProjectFile })[]> {
  if (files.length === 0) return [];
  const { readProjectFile } = await import('./trust/project-files.ts');
  const root = await realpath(workspace);
  return await Promise.all(
    files.map(async (named) => {
      return { ...named, origin: 'project' as const, file: await readProjectFile(named.path, root) };
    }),
  );
}

/** Reads files of the user's own configuration. Links are followed: the user has made them. */
export async function readNamedUserFiles<File extends NamedFile>(
  files: readonly File[],
): Promise<(File & { origin: 'user'; file: ReadProjectFile })[]> {
  return await Promise.all(
    files.map(async (named) => {
      return { ...named, origin: 'user' as const, file: await readUserFile(named.path, MAX_BYTES) };
    }),
  );
}
