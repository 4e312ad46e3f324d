import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { isInside } from '@longhaul/core/host-paths';
import { LonghaulError } from '@longhaul/protocol';

/** Resolves the workspace folder that a client names, or refuses it. */
export interface Workspaces {
  readonly roots: readonly string[];
  /** @throws {LonghaulError} `workspace_not_allowed` */
  resolve(path: string | undefined): Promise<string>;
}

/**
 * Allows only folders inside the given roots, after resolving symbolic links. A folder outside the roots and a folder
 * that does not exist get the same message, so a client cannot find out which files exist.
 *
 * @param roots Absolute paths of folders. At least one.
 * @throws {LonghaulError} `config_invalid` if there is none, or one does not exist.
 */
export async function createWorkspaces(roots: readonly string[]): Promise<Workspaces> {
  const real = await Promise.all(roots.map(requireFolder));
  const [first] = real;
  if (first === undefined)
    throw new LonghaulError('config_invalid', 'server.workspaces is empty. Add at least one folder.');
  return {
    roots: real,
    async resolve(path) {
      if (path === undefined) return first;
      const found = await realFolder(resolve(first, path));
      if (found !== undefined && real.some((root) => isInside(found, root))) return found;
      throw new LonghaulError(
        'workspace_not_allowed',
        'The workspace must be an existing folder in one of the folders that the server allows (server.workspaces in its configuration).',
      );
    },
  };
}

/** @throws {LonghaulError} `config_invalid` */
async function requireFolder(root: string): Promise<string> {
  const found = await realFolder(root);
  if (found !== undefined) return found;
  throw new LonghaulError(
    'config_invalid',
    `The folder ${root} of server.workspaces does not exist, or cannot be read. Create it, or name another folder.`,
  );
}

async function realFolder(path: string): Promise<string | undefined> {
  try {
    const real = await realpath(path);
    return (await stat(real)).isDirectory() ? real : undefined;
  } catch {
    // The folder does not exist, cannot be read, or is a loop of links.
    return undefined;
  }
}
