import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { type Config, userFolder } from '@longhaul/config';
import { realPathOf } from '@longhaul/core/host-paths';
import { homeOf } from './load-settings.ts';
import { blobFolder, databasePath } from './open-storage.ts';

/**
 * Returns the files and folders of Longhaul itself, with links resolved: your configuration, what you trust, sessions
 * and the server's token.
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
    ...(compiled === undefined ? [] : [compiled]),
    ...storagePaths(storage.url),
  ];
  return [...new Set(paths.map(realPathOf))];
}

function storagePaths(url: string): string[] {
  if (url.startsWith('memory:')) return [];
  const database = databasePath(url);
  const files = ['', '-wal', '-shm', '-journal'].map((suffix) => database + suffix);
  return [
    ...files,
    blobFolder(database),
    ...['server-token', 'server-tokens', 'gateway-page-token'].map((name) => join(dirname(database), name)),
  ];
}
