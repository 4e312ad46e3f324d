import { createHash } from 'node:crypto';
import type { BlobStore } from '@longhaul/core';
import type { RecordedPack } from '@longhaul/replay';

/**
 * Stores a blob of recorded files. Returns why it was refused. It is stored before the session is visible, and a failed
 * import leaves it to `longhaul gc`.
 */
export async function storePack(blobs: BlobStore, { id, data }: RecordedPack): Promise<string | undefined> {
  const bytes = Buffer.from(data, 'base64');
  if (createHash('sha256').update(bytes).digest('hex') !== id)
    return 'recorded files that do not match their hash';
  await blobs.put(bytes);
  return undefined;
}

/** Returns how many of these recorded trees cannot be restored, because blobs that they need are not in the store. */
export async function countLostTrees(blobs: BlobStore, trees: ReadonlySet<string>): Promise<number> {
  if (trees.size === 0) return 0;
  const { packsOf } = await import('@longhaul/files');
  const known = new Map<string, Promise<boolean>>();
  const isStored = (id: string) => {
    const stored = known.get(id) ?? blobs.stat(id).then((info) => info !== undefined);
    known.set(id, stored);
    return stored;
  };
  const isWhole = async (needed: Iterable<string>) => {
    const { packs, broken } = await packsOf(blobs, needed);
    return broken.length === 0 && (await Promise.all([...packs].map(isStored))).every(Boolean);
  };
  if (await isWhole(trees)) return 0;
  let lost = 0;
  for (const tree of trees) if (!(await isWhole([tree]))) lost += 1;
  return lost;
}
