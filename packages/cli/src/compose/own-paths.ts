import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { type Config, embeddedFolder, userFolder } from '@longhaul/config';
import { realPathOf } from '@longhaul/core/host-paths';
import { homeOf } from './load-settings.ts';
import { namedBlobFolder, type StorageAddress } from './open-blobs.ts';
import { databasePath, isPostgres, storagePlace } from './storage-place.ts';

/**
 * Returns the files and folders of Longhaul itself, with links resolved: your configuration, what you trust, sessions,
 * embedded models and the server's token.
 */
export function ownPaths(
  { storage }: Pick<Config, 'storage'>,
  env: Readonly<Record<string, string | undefined>>,
): string[] {
  const home = homeOf({ env });
  const own = userFolder({ env, home });
  const compiled = getCompileCacheDir();
  const paths = [
    own,
    join(own, 'longhaul.yml'),
    join(home, '.local', 'share', 'longhaul'),
    embeddedFolder(env),
    ...(compiled === undefined ? [] : [compiled]),
    ...storagePaths(storage),
  ];
  return [...new Set(paths.map(realPathOf))];
}

function storagePaths(storage: StorageAddress): string[] {
  const { url } = storage;
  const place = storagePlace(url);
  if (place === undefined) return [];
  const database = isPostgres(url) ? undefined : databasePath(url);
  const files = ['', '-wal', '-shm', '-journal'].map((suffix) => database + suffix);
  return [
    ...(database === undefined ? [] : files),
    place.blobs,
    ...[namedBlobFolder(storage) ?? []].flat(),
    ...['server-token', 'server-tokens', 'gateway-page-token'].map((name) => join(place.folder, name)),
  ];
}
