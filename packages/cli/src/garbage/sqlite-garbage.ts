import type { Config } from '@longhaul/config';
import { isOwnerAlive } from '@longhaul/core';
import { fileTrees } from '../compose/file-trees.ts';
import { openStorage } from '../compose/open-storage.ts';
import { blobFolder, databasePath } from '../compose/storage-place.ts';
import type { Garbage } from './garbage.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export async function sqliteGarbage(config: Config, env: Environment): Promise<Garbage> {
  const path = databasePath(config.storage.url);
  const place = { path, blobs: blobFolder(path) };
  const [{ collectGarbage, planGarbage }, { treePacks }] = await Promise.all([
    import('@longhaul/storage/maintenance'),
    import('../compose/tree-packs.ts'),
  ]);
  const options = { isAlive: isOwnerAlive, packs: treePacks(place.blobs) };
  return {
    plan: (limits) => planGarbage(place, limits, options),
    async collect(agreed) {
      const report = await collectGarbage(place, agreed, options);
      return { report, workspaces: await sweepCopies(config, env) };
    },
    async [Symbol.asyncDispose]() {},
  };
}

/** Removes the copies of workspaces whose sessions are gone. Returns the ids of these sessions. */
async function sweepCopies(config: Config, env: Environment): Promise<readonly string[]> {
  const storage = await openStorage(config.storage, { access: 'write' });
  await using store = storage.store;
  const trees = fileTrees(config, { storage, env });
  return (await trees?.copies.sweep(async (id) => (await store.getSession(id)) !== undefined)) ?? [];
}
