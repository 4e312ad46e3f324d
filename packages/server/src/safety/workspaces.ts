import { realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';

/** Finds the folder that a client names, or refuses it. */
export interface Workspaces {
  readonly roots: readonly string[];
  /** @throws {LonghaulError} `workspace_not_allowed` */
  resolve(path: string | undefined): Promise<string>;
}

/**
 * Folders of sessions lie inside the allowed roots, once every symbolic link is followed. What lies outside and what does not exist are
 * refused in the same words: a client cannot find out what there is.
 *
 * @param roots Absolute, existing folders; at least one.
 */
export async function createWorkspaces(roots: readonly string[]): Promise<Workspaces> {
  const real = await Promise.all(roots.map((root) => realpath(root)));
  const [first] = real;
  if (first === undefined) throw new LonghaulError('config_invalid', 'server.workspaces names no folder.');
  return {
    roots: real,
    async resolve(path) {
      if (path === undefined) return first;
      const found = await realFolder(resolve(first, path));
      if (found !== undefined && real.some((root) => isInside(root, found))) return found;
      throw new LonghaulError(
        'workspace_not_allowed',
        'The workspace must be an existing folder inside one that this server allows (server.workspaces in its configuration).',
      );
    },
  };
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // Absent, not ours to read, a loop of links: each is simply no workspace.
    return undefined;
  }
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
