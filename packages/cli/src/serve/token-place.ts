import { join } from 'node:path';
import { isInside, realPathOf } from '@longhaul/core/host-paths';
import { storagePlace } from '../compose/storage-place.ts';

export interface TokenPlace {
  /** Path of the file with the token of the gateway's page. */
  gatewayPage: string;
  /** Path of the token's file. */
  path: string;
  /** Folder of the named tokens. */
  folder: string;
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
export function tokenPlace({ url, home, workspaces }: TokenPlaceOptions): TokenPlace {
  const usual = join(home, '.local', 'share', 'longhaul');
  const place = storagePlace(url);
  const folders = place === undefined ? [usual] : [place.folder, usual];
  const roots = workspaces.map(realPathOf);
  const places = folders.map((folder): TokenPlace => {
    const at = realPathOf(folder);
    return { ...inFolder(folder), exposedIn: roots.find((root) => isInside(at, root)) };
  });
  const [first = inFolder(usual)] = places;
  return places.find(({ exposedIn }) => exposedIn === undefined) ?? first;
}

function inFolder(folder: string): TokenPlace {
  return {
    path: join(folder, 'server-token'),
    folder: join(folder, 'server-tokens'),
    gatewayPage: join(folder, 'gateway-page-token'),
  };
}
