import { LonghaulError } from '@longhaul/protocol';
import type { BlobCheck } from '../../blobs/check-blobs.ts';
import { readTransaction } from '../transactions.ts';
import { readNamedBlobs } from './named-blobs.ts';
import { type PostgresPlace, withPlace } from './place.ts';

export interface PostgresBlobFacts extends BlobCheck {
  /** Where the blobs are. */
  place: string;
  /** Number of blobs and recorded trees that sessions name. */
  named: number;
  /** The sessions of missing and damaged blobs. */
  places: string[];
  /** Addresses of other databases that have blobs in the place. */
  others: string[];
}

/**
 * Checks that the blobs and recorded trees that sessions name exist, and compares up to `compare` blobs with their hash.
 * Changes nothing.
 *
 * @throws {LonghaulError} `store_unavailable`, `config_invalid` if the place of the blobs cannot be read.
 */
export function examinePostgresBlobs(
  place: PostgresPlace,
  { compare }: { compare: number },
): Promise<PostgresBlobFacts> {
  return withPlace(place, {}, async ({ blobPlace: { connection, blobs, userId } }) => {
    const present = new Set<string>();
    for await (const { id } of blobs.list()) present.add(id);
    const names = await readTransaction(connection, readNamedBlobs);
    const named = new Map(names.blobs);
    for (const [id, { sessions, isRecord }] of names.trees) if (isRecord) named.set(id, sessions);
    const missing = [...named.keys()].filter((id) => !present.has(id));
    const found = [...named.keys()].filter((id) => present.has(id));
    const every = Math.max(1, Math.ceil(found.length / Math.max(1, compare)));
    const chosen = found.filter((_id, index) => index % every === 0);
    const damaged: string[] = [];
    for (const id of chosen) if (!(await isSound(() => blobs.get(id)))) damaged.push(id);
    const users = await blobs.databases();
    return {
      place: blobs.place,
      named: named.size,
      compared: chosen.length,
      missing,
      damaged,
      places: [...missing, ...damaged].flatMap((id) =>
        [...(named.get(id) ?? [])].map((session) => `session ${session}, blob ${id.slice(0, 12)}`),
      ),
      others: users.filter(({ id }) => id !== userId).map(({ address }) => address),
    };
  });
}

async function isSound(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read();
    return true;
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'blob_not_found') return false;
    throw error;
  }
}
