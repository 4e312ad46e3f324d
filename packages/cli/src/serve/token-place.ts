import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInside } from '@longhaul/config';
import { databasePath } from '../compose/open-storage.ts';

export interface TokenPlace {
  /** Path of the token's file. */
  path: string;
  /** The workspace in which the agent could read the token. Absent: there is none. */
  exposedIn?: string;
}

export interface TokenPlaceOptions {
  /** `storage.url` */
  url: string;
  home: string;
  /** The folders that sessions may work in. */
  workspaces: readonly string[];
}

/**
 * Chooses the file of the server's token: next to the database, but not in a workspace. An agent that reads the token
 * could answer its own approvals, and could trust what it has written.
 */
export async function tokenPlace({ url, home, workspaces }: TokenPlaceOptions): Promise<TokenPlace> {
  const usual = join(home, '.local', 'share', 'longhaul');
  const folders = url.startsWith('memory:') ? [usual] : [dirname(databasePath(url)), usual];
  const roots = await Promise.all(workspaces.map(real));
  const places = await Promise.all(
    folders.map(async (folder): Promise<TokenPlace> => {
      const at = await real(folder);
      return { path: join(folder, 'server-token'), exposedIn: roots.find((root) => isInside(at, root)) };
    }),
  );
  const [first = { path: join(usual, 'server-token') }] = places;
  return places.find(({ exposedIn }) => exposedIn === undefined) ?? first;
}

/** Resolves the links in a path whose last folders may not exist yet. */
async function real(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isMissing || dirname(path) === path) throw error;
    return join(await real(dirname(path)), path.slice(dirname(path).length));
  }
}
