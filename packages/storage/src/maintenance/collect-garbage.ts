import { rm } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import type { LeaseOwner } from '@longhaul/core';
import { blobFiles } from '../blobs/blob-files.ts';
import { openSqliteStore } from '../sqlite/open-sqlite-store.ts';
import { mapSqliteError } from '../sqlite/sqlite-errors.ts';
import { bytesOfOne } from './bytes-of-one.ts';
import { familyFacts } from './family-facts.ts';
import { giveBack, type NotGivenBack, tidySearch } from './give-back.ts';
import { namedBlobs } from './named-blobs.ts';
import { type Copy, dropUnfinished, listCopies } from './neighbours.ts';
import { openToWrite } from './open-file.ts';
import { type StoragePlace, sizeOf } from './place.ts';
import { chooseSessions, type RetentionChoice, type RetentionLimits, reasonToKeep } from './retention.ts';
import { type FactOptions, sessionFacts } from './session-facts.ts';
import { type SweepResult, sweepPlace } from './sweep-place.ts';
import { neededBlobs, type TreePacks } from './tree-packs.ts';

export interface GarbageOptions {
  isAlive: (owner: LeaseOwner) => boolean;
  /** Reads the trees in the blobs of the place. */
  packs: TreePacks;
  now?: () => number;
  /** Called after each step, when its result is on disk. */
  passed?: (step: GarbageStep) => void;
}

export type GarbageStep =
  | 'session-dropped'
  | 'backup-dropped'
  | 'rests-dropped'
  | 'blobs-swept'
  | 'space-released';

export interface GarbagePlan extends RetentionChoice, SweepResult {
  /** Current size of the database, its write-ahead log and the blobs, in bytes. */
  totalBytes: number;
  /** Backups made before migrations that are old enough to be removed. */
  oldBackups: Copy[];
  /** Other copies of the database, which are kept. */
  copies: Copy[];
}

export interface GarbageReport extends SweepResult {
  sessions: string[];
  /**
   * Agreed sessions that were not dropped: in use again, with waiting messages, changed within the last hour, or
   * already gone.
   */
  kept: string[];
  backups: string[];
  /** Why free pages stay in the file. Absent if they were released, or were too few to be worth it. */
  notGivenBack?: NotGivenBack;
  bytesBefore: number;
  bytesAfter: number;
}

/**
 * Returns what `collectGarbage` would drop under these limits. Changes nothing, except that it migrates an old
 * database.
 *
 * @throws {LonghaulError} The errors of `openSqliteStore`.
 */
export async function planGarbage(
  place: StoragePlace,
  limits: RetentionLimits,
  { isAlive, packs, now = Date.now }: GarbageOptions,
): Promise<GarbagePlan> {
  await bringUpToDate(place.path);
  const database = openToWrite(place.path);
  try {
    const names = namedBlobs(database);
    const needed = await neededBlobs(names, packs);
    const blobs = new Map<string, number>();
    for await (const { id, size } of blobFiles(place.blobs)) blobs.set(id, size);
    const totalBytes = (await databaseBytes(place.path)) + sum(blobs.values());
    const families = familyFacts(sessionFacts(database, { now, isAlive }));
    const firstOf = new Map(families.flatMap(({ id, members }) => members.map((member) => [member, id])));
    const ownBytes = bytesOfOne(needed.blobs, { blobs, firstOf });
    const choice = chooseSessions(families, {
      limits,
      now: now(),
      totalBytes,
      freed: (session) => session.bytes + (ownBytes.get(session.id) ?? 0),
    });
    const dropped = new Set(choice.drop.flatMap(({ members }) => members));
    const isKept = (sessions: Iterable<string> = []) =>
      [...sessions].some((session) => !dropped.has(session));
    const here = {
      isNamed: (id: string) => isKept(needed.blobs.get(id)),
      broken: [...needed.broken].filter((id) => isKept(names.trees.get(id)?.sessions)).length,
    };
    const copies = await listCopies(place.path);
    const isOld = (copy: Copy) =>
      copy.kind === 'backup' && copy.createdAt < now() - (limits.olderThanMs ?? Number.POSITIVE_INFINITY);
    return {
      ...choice,
      totalBytes,
      ...(await sweepPlace(place, here, { packs, now, dryRun: true })),
      oldBackups: copies.filter(isOld),
      copies: copies.filter((copy) => !isOld(copy)),
    };
  } catch (error) {
    throw mapSqliteError(error, place.path);
  } finally {
    database.close();
  }
}

/**
 * Drops the agreed sessions with their children, and backups, then unreferenced blobs, then releases free pages to the disk. Other processes
 * may use the store in the meantime. A session that is in use again, has waiting messages or was changed within the
 * last hour is kept.
 *
 * @throws {LonghaulError} The errors of `openSqliteStore`; `store_full`, `store_readonly`.
 */
export async function collectGarbage(
  place: StoragePlace,
  agreed: { sessions: readonly string[]; backups: readonly string[] },
  { isAlive, packs, now = Date.now, passed = () => {} }: GarbageOptions,
): Promise<GarbageReport> {
  await bringUpToDate(place.path);
  const bytesBefore = await placeBytes(place);
  const database = openToWrite(place.path);
  const report: GarbageReport = { sessions: [], kept: [], backups: [], bytesBefore, bytesAfter: 0 };
  try {
    const dropped: string[] = [];
    for (const id of agreed.sessions) {
      const family = dropFamily(database, id, { isAlive, now });
      (family.length > 0 ? report.sessions : report.kept).push(id);
      dropped.push(...family);
      passed('session-dropped');
    }
    for (const path of agreed.backups) {
      await rm(path, { force: true });
      report.backups.push(path);
      passed('backup-dropped');
    }
    await dropUnfinished(place.path, now() - 24 * 60 * 60 * 1000);
    const rests = new Set([...dropped, ...headless(database, now() - 60 * 60 * 1000)]);
    await dropRests(place.path, rests);
    passed('rests-dropped');
    const { blobs, broken } = await neededBlobs(namedBlobs(database), packs);
    const here = { isNamed: (id: string) => blobs.has(id), broken: broken.size };
    Object.assign(report, await sweepPlace(place, here, { packs, now, dryRun: false }));
    passed('blobs-swept');
    if (rests.size > 0) await tidySearch(database);
    const hasLiveSession = sessionFacts(database, { now, isAlive }).some(({ isLive }) => isLive);
    const notGivenBack = await giveBack(database, { path: place.path, hasLiveSession });
    if (notGivenBack !== undefined) report.notGivenBack = notGivenBack;
    passed('space-released');
  } catch (error) {
    throw mapSqliteError(error, place.path);
  } finally {
    database.close();
  }
  return { ...report, bytesAfter: await placeBytes(place) };
}

/** Runs the store's checks and migrations. */
async function bringUpToDate(path: string): Promise<void> {
  await (await openSqliteStore({ path }))[Symbol.asyncDispose]();
}

/** Returns sessions without a head: killed processes were copying or dropping them. */
function headless(database: DatabaseSync, before: number): string[] {
  return database
    .prepare('SELECT id FROM sessions WHERE id NOT IN (SELECT session_id FROM heads) AND created_at < ?')
    .all(before)
    .map(({ id }) => String(id));
}

async function dropRests(path: string, sessions: Iterable<string>): Promise<void> {
  await using store = await openSqliteStore({ path });
  for (const id of sessions) await store.dropRest(id);
}

/**
 * Uses one transaction for a session and its descendants, so that the reasons to keep them are checked and all are
 * dropped atomically. Returns the ids of the dropped sessions.
 */
function dropFamily(database: DatabaseSync, id: string, options: FactOptions): string[] {
  database.exec('BEGIN IMMEDIATE');
  try {
    const family = familyFacts(sessionFacts(database, options, id)).find(({ members }) =>
      members.includes(id),
    );
    const mayGo = family !== undefined && reasonToKeep(family, options.now()) === undefined;
    const members = mayGo ? family.members : [];
    for (const member of members) {
      database.prepare(`UPDATE sessions SET status = 'unfinished', checksum = NULL WHERE id = ?`).run(member);
      database.prepare('DELETE FROM heads WHERE session_id = ?').run(member);
    }
    database.exec('COMMIT');
    return members;
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
  }
}

async function placeBytes({ path, blobs }: StoragePlace): Promise<number> {
  let bytes = await databaseBytes(path);
  for (const copy of await listCopies(path)) bytes += copy.bytes;
  for await (const { size } of blobFiles(blobs)) bytes += size;
  return bytes;
}

/** Returns the sizes of the database with its log, and of all blobs of its folder. */
export async function storedBytes({
  path,
  blobs,
}: StoragePlace): Promise<{ database: number; blobs: number }> {
  const stored = { database: await databaseBytes(path), blobs: 0 };
  for await (const { size } of blobFiles(blobs)) stored.blobs += size;
  return stored;
}

async function databaseBytes(path: string): Promise<number> {
  return (await sizeOf(path)) + (await sizeOf(`${path}-wal`));
}

function sum(numbers: Iterable<number>): number {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}
