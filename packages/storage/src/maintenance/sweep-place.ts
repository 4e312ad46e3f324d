import { basename, resolve } from 'node:path';
import { type Swept, sweepBlobs } from '../blobs/sweep-blobs.ts';
import { type NamedBlobs, namedBlobs } from './named-blobs.ts';
import { databasesOfFolder } from './neighbours.ts';
import { openToRead } from './open-file.ts';
import type { StoragePlace } from './place.ts';
import { neededBlobs, type TreePacks } from './tree-packs.ts';

export interface SweepResult {
  /** Unreferenced blobs, and unfinished writes. Absent if `unreadable` is set. */
  swept?: Swept;
  /** Name of a database in the folder that cannot be read. Its blob references are unknown, so all blobs are kept. */
  unreadable?: string;
  /** Number of recorded trees that cannot be read. They may need any pack, so all packs are kept. Absent: none. */
  brokenTrees?: number;
  /** Unreferenced blobs that are deleted by a later garbage collection. Only with PostgreSQL. */
  marked?: {
    count: number;
    bytes: number;
    /** How long after this one. */
    graceMs: number;
  };
  /** Other databases have blobs in the same place, so all blobs are kept. Only with PostgreSQL. */
  shared?: { place: string; others: string[] };
}

/**
 * Removes the blobs that no database of the folder needs.
 *
 * @param here What the database at `place.path` needs: `broken` is the number of its trees that cannot be read.
 */
export async function sweepPlace(
  place: StoragePlace,
  here: { isNamed: (id: string) => boolean; broken: number },
  { packs, ...options }: { packs: TreePacks; now: () => number; dryRun: boolean },
): Promise<SweepResult> {
  const elsewhere = new Set<string>();
  let brokenTrees = here.broken;
  for (const path of await databasesOfFolder(place.path)) {
    if (path === resolve(place.path)) continue;
    const names = namesOf(path);
    if (names === undefined) return { unreadable: basename(path) };
    const { blobs, broken } = await neededBlobs(names, packs);
    for (const id of blobs.keys()) elsewhere.add(id);
    brokenTrees += broken.size;
  }
  const isNamed = async (id: string) =>
    elsewhere.has(id) || here.isNamed(id) || (brokenTrees > 0 && (await packs.isPack(id)));
  const swept = await sweepBlobs(place.blobs, { ...options, isNamed });
  return { swept, ...(brokenTrees > 0 && { brokenTrees }) };
}

function namesOf(path: string): NamedBlobs | undefined {
  try {
    const database = openToRead(path);
    try {
      return namedBlobs(database);
    } finally {
      database.close();
    }
  } catch {
    return undefined; // Damaged, locked or not readable by this user. The caller keeps every blob.
  }
}
