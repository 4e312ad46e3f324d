import type { Config } from '@longhaul/config';
import { isOwnerAlive } from '@longhaul/core';
import { fileTrees } from '../compose/file-trees.ts';
import { openBlobs } from '../compose/open-blobs.ts';
import { postgresPlace } from '../compose/storage-place.ts';
import type { Garbage } from './garbage.ts';

export async function postgresGarbage(
  config: Config,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Garbage> {
  const { url } = config.storage;
  const [{ openPostgresStore }, { collectPostgresGarbage, planPostgresGarbage }, { packsIn }] =
    await Promise.all([
      import('@longhaul/storage/postgres'),
      import('@longhaul/storage/postgres-maintenance'),
      import('../compose/tree-packs.ts'),
    ]);
  const store = await openPostgresStore({ url, maxConnections: 2 });
  const blobs = await openBlobs(config.storage, store, env);
  const options = { isAlive: isOwnerAlive, packs: packsIn(blobs) };
  return {
    plan: (limits) => planPostgresGarbage({ url, blobs }, limits, options),
    async collect({ sessions }) {
      const { members, ...report } = await collectPostgresGarbage({ url, blobs }, { sessions }, options);
      const trees = fileTrees(config, { storage: { ...postgresPlace(), store, servers: store, blobs }, env });
      const workspaces: string[] = [];
      // Copies of other databases are in the same folder, so only those of the deleted sessions are removed.
      for (const id of members) {
        if ((await trees?.copies.find(id)) === undefined) continue;
        await trees?.copies.remove(id);
        workspaces.push(id);
      }
      return { report, workspaces };
    },
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}
