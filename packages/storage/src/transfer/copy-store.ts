import type { BlobStore } from '@longhaul/core';
import { treeReference } from '@longhaul/protocol';
import type { TreePacks } from '../maintenance/tree-packs.ts';
import { type CopiedBlobs, copyBlobs } from './copy-blobs.ts';
import { copySession, readNames } from './copy-session.ts';
import type { StoredHead, StoreTables } from './store-tables.ts';
import { SHARED_TABLES } from './tables.ts';

export interface TransferSide {
  tables: StoreTables;
  blobs: BlobStore;
}

export interface TransferOptions {
  source: TransferSide & { packs: TreePacks };
  target: TransferSide;
  /** Whether all sessions are copied as they are at one moment, those with a living run too. Default: false. */
  isSnapshot?: boolean;
  /** Whether only blobs are copied. Default: false. */
  onlyBlobs?: boolean;
  /** Called after each session. */
  passed?: (done: number, of: number) => void;
  signal?: AbortSignal;
}

export interface TransferReport {
  /** Number of sessions that were copied and compared. */
  copied: number;
  /** Number of sessions that the target had. */
  present: number;
  /** Sessions with a living run, which were not copied. */
  running: string[];
  /** Sessions that have changed in the source or in the target since they were copied. They stay as they are. */
  differing: string[];
  blobs: CopiedBlobs;
  /** Number of recorded states of workspaces that cannot be read in the source. */
  brokenTrees: number;
}

/**
 * Copies sessions with their blobs from one store to another, of any kind. Each session is stored in one transaction,
 * after its blobs, and its rows are compared. A copy that was interrupted can be repeated: it continues with the sessions
 * that are missing. Nothing in the target is overwritten.
 *
 * @throws {LonghaulError} As the stores; `store_corrupt` if rows are not the same in the target.
 */
export async function copyStore(options: TransferOptions): Promise<TransferReport> {
  const { source, target, isSnapshot = false, onlyBlobs = false, passed = () => {}, signal } = options;
  const report: TransferReport = {
    copied: 0,
    present: 0,
    running: [],
    differing: [],
    blobs: { copied: 0, bytes: 0, present: 0, missing: [], damaged: [] },
    brokenTrees: 0,
  };
  const known = new Map((await target.tables.listHeads()).map((head) => [head.id, head]));
  const seen = new Set<string>();
  if (isSnapshot) await source.tables.begin('read');
  try {
    const heads = await source.tables.listHeads();
    for (const [index, head] of heads.entries()) {
      if (signal?.aborted === true) break;
      if (onlyBlobs || mayCopy(head, { known: known.get(head.id), isSnapshot, report }))
        await copyOne(head.id, options, { report, seen });
      passed(index + 1, heads.length);
    }
    if (!onlyBlobs && signal?.aborted !== true) await copyShared(options);
  } finally {
    if (isSnapshot) await source.tables.rollback();
  }
  return report;
}

function mayCopy(
  head: StoredHead,
  {
    known,
    isSnapshot,
    report,
  }: { known: StoredHead | undefined; isSnapshot: boolean; report: TransferReport },
): boolean {
  if (known !== undefined) {
    const isSame = known.lastSequence === head.lastSequence && known.lastEvent === head.lastEvent;
    if (isSame) report.present += 1;
    else report.differing.push(head.id);
    return false;
  }
  if (!head.isRunning || isSnapshot) return true;
  report.running.push(head.id);
  return false;
}

async function copyOne(
  sessionId: string,
  { source, target, isSnapshot = false, onlyBlobs = false }: TransferOptions,
  { report, seen }: { report: TransferReport; seen: Set<string> },
): Promise<void> {
  if (!isSnapshot) await source.tables.begin('read');
  try {
    const names = await readNames(source.tables, sessionId);
    const trees = [...names.trees].map(treeReference);
    const { packs, broken } =
      trees.length === 0 ? { packs: [], broken: [] } : await source.packs.packsOf(trees);
    report.brokenTrees += broken.length;
    const wanted = [...names.blobs, ...packs].filter((id) => !seen.has(id));
    for (const id of wanted) seen.add(id);
    await copyBlobs({ source: source.blobs, target: target.blobs }, new Set(wanted), report.blobs);
    if (onlyBlobs) return;
    await copySession({ source: source.tables, target: target.tables }, sessionId);
    report.copied += 1;
  } finally {
    if (!isSnapshot) await source.tables.rollback();
  }
}

async function copyShared({ source, target, isSnapshot = false }: TransferOptions): Promise<void> {
  if (!isSnapshot) await source.tables.begin('read');
  await target.tables.begin('write');
  try {
    for (const table of SHARED_TABLES)
      for await (const rows of source.tables.rows(table)) await target.tables.insert(table, rows);
    await target.tables.commit();
  } catch (error) {
    await target.tables.rollback();
    throw error;
  } finally {
    if (!isSnapshot) await source.tables.rollback();
  }
}
