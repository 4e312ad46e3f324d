import { inArray } from 'drizzle-orm';
import type { BlobSpace } from '../../blobs/blob-space.ts';
import type { SweepResult } from '../../maintenance/sweep-place.ts';
import { neededBlobs, type TreePacks } from '../../maintenance/tree-packs.ts';
import { lockDying, markDying, readDying, unmark } from '../blobs/dying-blobs.ts';
import type { Connection } from '../connection.ts';
import { dyingBlobs } from '../schema.ts';
import { readTransaction, writeTransaction } from '../transactions.ts';
import { readNamedBlobs } from './named-blobs.ts';

/**
 * A blob is deleted this long after it was marked, or later. A program that has stored a blob stores the reference to it
 * earlier, even if it is suspended for hours.
 */
const GRACE_MS = 12 * 60 * 60 * 1000;
/** Blobs that are deleted while their marks are locked. Programs that store one of them wait. */
const AT_ONCE = 25;

export interface BlobPlace {
  connection: Pick<Connection, 'db'>;
  address: string;
  blobs: BlobSpace;
  /** The name of this database among those that have blobs in the place. */
  userId: string;
}

/** What is known of the blobs of a place. */
export interface BlobFacts {
  /** Blobs that sessions need, each with these sessions. */
  needed: ReadonlyMap<string, ReadonlySet<string>>;
  /** Sizes of all blobs of the place. */
  sizes: ReadonlyMap<string, number>;
  /** Blobs that no session needs. */
  unneeded: string[];
  /** Blobs that were marked, each with the time. Read before the references. */
  dying: ReadonlyMap<string, number>;
  brokenTrees: number;
  /** Addresses of other databases that have blobs in the place. What they need is not known. */
  others: string[];
}

/** @param isDropped Sessions that count as deleted. */
export async function readBlobFacts(
  { connection, blobs, userId }: BlobPlace,
  packs: TreePacks,
  isDropped: (sessionId: string) => boolean = () => false,
): Promise<BlobFacts> {
  const dying = await readTransaction(connection, readDying);
  const sizes = new Map<string, number>();
  for await (const { id, size } of blobs.list()) sizes.set(id, size);
  const names = await readTransaction(connection, readNamedBlobs);
  const { blobs: needed, broken } = await neededBlobs(names, packs);
  const isKept = (sessions: Iterable<string> = []) => [...sessions].some((id) => !isDropped(id));
  const brokenTrees = [...broken].filter((id) => isKept(names.trees.get(id)?.sessions)).length;
  const unneeded: string[] = [];
  for (const id of sizes.keys())
    if (!isKept(needed.get(id)) && !(brokenTrees > 0 && (await packs.isPack(id)))) unneeded.push(id);
  const users = await blobs.databases();
  const others = users.filter(({ id }) => id !== userId).map(({ address }) => address);
  return { needed, sizes, unneeded, dying, brokenTrees, others };
}

/** Says what `sweepBlobs` does at a time. */
export function plannedSweep(
  { sizes, unneeded, dying, brokenTrees, others }: BlobFacts,
  { place, now }: { place: string; now: number },
): SweepResult {
  const broken = brokenTrees > 0 ? { brokenTrees } : {};
  if (others.length > 0) return { ...broken, shared: { place, others } };
  const isDue = (id: string) => (dying.get(id) ?? Number.POSITIVE_INFINITY) <= now - GRACE_MS;
  const due = unneeded.filter(isDue);
  const marked = unneeded.filter((id) => !isDue(id));
  const total = (ids: readonly string[]) => ({
    count: ids.length,
    bytes: ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0),
  });
  return {
    ...broken,
    swept: { blobs: total(due), leftovers: { count: 0, bytes: 0 } },
    ...(marked.length > 0 && { marked: { ...total(marked), graceMs: GRACE_MS } }),
  };
}

/** Deletes the blobs that were marked long ago, and marks the others that no session needs. */
export async function sweepMarkedBlobs(
  place: BlobPlace,
  facts: BlobFacts,
  now: number,
): Promise<SweepResult> {
  const plan = plannedSweep(facts, { place: place.blobs.place, now });
  if (plan.swept === undefined) return plan;
  const { sizes, unneeded, dying } = facts;
  const unneededIds = new Set(unneeded);
  const neededAgain = [...dying.keys()].filter((id) => sizes.has(id) && !unneededIds.has(id));
  if (neededAgain.length > 0) await writeTransaction(target(place), (db) => unmark(db, neededAgain));
  const due = unneeded.filter((id) => (dying.get(id) ?? Number.POSITIVE_INFINITY) <= now - GRACE_MS);
  const deleted: string[] = [];
  for (let start = 0; start < due.length; start += AT_ONCE)
    deleted.push(...(await deleteLocked(place, due.slice(start, start + AT_ONCE), now - GRACE_MS)));
  const fresh = unneeded.filter((id) => !dying.has(id));
  if (fresh.length > 0) await writeTransaction(target(place), (db) => markDying(db, fresh, now));
  const blobs = { count: deleted.length, bytes: deleted.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0) };
  const leftovers = await place.blobs.removeLeftovers({ dryRun: false });
  return { ...plan, swept: { blobs, leftovers } };
}

/** A blob that a program has stored since `until` has no mark, or a newer one, and is kept. */
function deleteLocked(place: BlobPlace, ids: readonly string[], until: number): Promise<string[]> {
  return writeTransaction(target(place), async (db) => {
    const locked = await lockDying(db, ids, until);
    if (locked.length === 0) return [];
    await Promise.all(locked.map((id) => place.blobs.remove(id)));
    await db.delete(dyingBlobs).where(inArray(dyingBlobs.id, locked));
    return locked;
  });
}

function target({ connection: { db }, address }: BlobPlace) {
  return { db, address };
}
