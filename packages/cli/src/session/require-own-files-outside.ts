import { getCompileCacheDir } from 'node:module';
import { join } from 'node:path';
import { type Config, userFolder } from '@longhaul/config';
import { isInside, realPathOf } from '@longhaul/core/host-paths';
import { LonghaulError } from '@longhaul/protocol';
import { homeOf } from '../compose/load-settings.ts';

/**
 * Checks that an agent cannot write the files that Longhaul trusts because of their place: your own configuration, what
 * you trust, and compiled code. Links count by where they lead to.
 *
 * @throws {LonghaulError} `usage`, with the folder and what to do.
 */
export async function requireOwnFilesOutside(
  workspace: string,
  { config, env }: { config: Pick<Config, 'sandbox'>; env: Readonly<Record<string, string | undefined>> },
): Promise<void> {
  // Commands of `local` can write these files, wherever they are.
  if (config.sandbox.driver === 'local') return;
  const own = userFolder({ env, home: homeOf({ env }) });
  const file = join(own, 'longhaul.yml');
  const compiled = getCompileCacheDir();
  for (const path of [own, file, ...(compiled === undefined ? [] : [compiled])]) {
    const real = realPathOf(path);
    if (!isInside(real, workspace)) continue;
    const what = path === compiled ? 'compiled code of Longhaul' : 'your own configuration';
    const where = real === path ? path : `${path}, which leads to ${real}`;
    throw new LonghaulError(
      'usage',
      `The workspace ${workspace} contains ${what} (${where}). The agent could change it, and the next longhaul command would run what it wrote there. ` +
        'Work in a folder below, or set XDG_CONFIG_HOME and XDG_CACHE_HOME to folders outside of the workspace.',
      { data: { workspace, path, real } },
    );
  }
}
