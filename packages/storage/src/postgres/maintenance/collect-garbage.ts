import { bytesOfOne } from '../../maintenance/bytes-of-one.ts';
import type { GarbagePlan, GarbageReport } from '../../maintenance/collect-garbage.ts';
import { familyFacts } from '../../maintenance/family-facts.ts';
import { chooseSessions, type RetentionLimits } from '../../maintenance/retention.ts';
import type { FactOptions, SessionFacts } from '../../maintenance/session-facts.ts';
import type { TreePacks } from '../../maintenance/tree-packs.ts';
import { readTransaction } from '../transactions.ts';
import { closeFamily, dropRests, readHeadless } from './drop-families.ts';
import { type PostgresPlace, withPlace } from './place.ts';
import { readSessionFacts } from './session-facts.ts';
import { type BlobFacts, plannedSweep, readBlobFacts, sweepMarkedBlobs } from './sweep-blobs.ts';

export interface PostgresGarbageOptions extends Pick<FactOptions, 'isAlive'> {
  /** Reads the trees in the blobs of the place. */
  packs: TreePacks;
  /** Replaces the server's clock. For tests. */
  now?: () => number;
}

export interface PostgresGarbageReport extends GarbageReport {
  /** The deleted sessions with their children. */
  members: string[];
}

/** A session that is not finished after this time was left behind by a killed program. */
const UNFINISHED_MS = 60 * 60 * 1000;

/**
 * Returns what `collectPostgresGarbage` would drop under these limits. Changes nothing.
 *
 * @throws {LonghaulError} `store_unavailable`, `config_invalid`.
 */
export function planPostgresGarbage(
  place: PostgresPlace,
  limits: RetentionLimits,
  options: PostgresGarbageOptions,
): Promise<GarbagePlan> {
  return withPlace(place, options, async ({ blobPlace, now }) => {
    const facts = { now, isAlive: options.isAlive };
    const sessions = await readTransaction(blobPlace.connection, (db) => readSessionFacts(db, facts));
    const blobs = await readBlobFacts(blobPlace, options.packs);
    const families = familyFacts(sessions);
    const firstOf = new Map(families.flatMap(({ id, members }) => members.map((member) => [member, id])));
    const ownBytes = bytesOfOne(blobs.needed, { blobs: blobs.sizes, firstOf });
    const totalBytes = usedBytes(sessions, blobs);
    const choice = chooseSessions(families, {
      limits,
      now: now(),
      totalBytes,
      freed: (session) => session.bytes + (ownBytes.get(session.id) ?? 0),
    });
    const dropped = new Set(choice.drop.flatMap(({ members }) => members));
    const after =
      dropped.size === 0 ? blobs : await readBlobFacts(blobPlace, options.packs, (id) => dropped.has(id));
    const sweep = plannedSweep(after, { place: place.blobs.place, now: now() });
    return { ...choice, totalBytes, ...sweep, oldBackups: [], copies: [] };
  });
}

/**
 * Drops the agreed sessions with their children, deletes blobs that were marked long ago, and marks others that no session
 * needs. Other programs may use the store in the meantime. A session that is in use again, has waiting messages or was
 * changed within the last hour is kept.
 *
 * @throws {LonghaulError} `store_unavailable`, `config_invalid`.
 */
export function collectPostgresGarbage(
  place: PostgresPlace,
  agreed: { sessions: readonly string[] },
  options: PostgresGarbageOptions,
): Promise<PostgresGarbageReport> {
  return withPlace(place, options, async ({ blobPlace, now }) => {
    const { connection, address } = blobPlace;
    const facts = { now, isAlive: options.isAlive };
    const used = async (blobs: BlobFacts) =>
      usedBytes(await readTransaction(connection, (db) => readSessionFacts(db, facts)), blobs);
    const bytesBefore = await used(await readBlobFacts(blobPlace, options.packs));
    const [gone, kept, members]: string[][] = [[], [], []];
    for (const id of agreed.sessions) {
      const family = await closeFamily({ ...connection, address }, id, facts);
      (family.length > 0 ? gone : kept)?.push(id);
      members?.push(...family);
    }
    const headless = await readTransaction(connection, (db) => readHeadless(db, now() - UNFINISHED_MS));
    await dropRests({ ...connection, address }, new Set([...(members ?? []), ...headless]));
    const blobs = await readBlobFacts(blobPlace, options.packs);
    const sweep = await sweepMarkedBlobs(blobPlace, blobs, now());
    return {
      sessions: gone ?? [],
      kept: kept ?? [],
      members: members ?? [],
      backups: [],
      ...sweep,
      bytesBefore,
      bytesAfter: await used(blobs),
    };
  });
}

/** PostgreSQL uses the space of deleted rows again, so the size of its files says little. */
function usedBytes(sessions: readonly SessionFacts[], { needed, sizes }: BlobFacts): number {
  let bytes = sessions.reduce((sum, session) => sum + session.bytes, 0);
  for (const id of needed.keys()) bytes += sizes.get(id) ?? 0;
  return bytes;
}
