import { createHash, type Hash } from 'node:crypto';
import { LonghaulError } from '@longhaul/protocol';
import type { StoreTables } from './store-tables.ts';
import { type Row, SESSION_TABLES, type Table } from './tables.ts';

/** The blobs and trees that the rows of a session name. */
export interface RowNames {
  blobs: Set<string>;
  trees: Set<string>;
}

/** The texts that can name them. */
const NAMES = /@(blob|tree):([0-9a-f]{64})/g;

/** Reads all rows of a session for the names in them. The source is in a transaction. */
export async function readNames(source: StoreTables, sessionId: string): Promise<RowNames> {
  const names: RowNames = { blobs: new Set(), trees: new Set() };
  const outputs: Row[] = [];
  for (const table of SESSION_TABLES)
    for await (const rows of source.rows(table, sessionId)) {
      for (const row of rows) addNames(names, row);
      if (table.name === 'outputs') outputs.push(...rows);
      // An imported session never had its files.
      if (table.name === 'sessions' && rows.some(isWithoutFiles)) names.trees = new IgnoredNames();
    }
  // The parts still name full outputs that the session has deleted to make room.
  const kept = new Set(outputs.filter((row) => row['deleted_at'] === null).map((row) => row['blob_id']));
  for (const { blob_id: id } of outputs) if (!kept.has(id ?? null)) names.blobs.delete(String(id));
  return names;
}

class IgnoredNames extends Set<string> {
  override add(): this {
    return this;
  }
}

function isWithoutFiles({ metadata }: Row): boolean {
  return typeof metadata === 'string' && metadata.includes('"withoutFiles":true');
}

function addNames(names: RowNames, row: Row): void {
  for (const value of Object.values(row)) {
    if (typeof value !== 'string' || !value.includes('@')) continue;
    for (const [, kind, id = ''] of value.matchAll(NAMES))
      (kind === 'tree' ? names.trees : names.blobs).add(id);
  }
}

/**
 * Copies all rows of a session in one transaction of the target, then reads them there and compares their checksums. The
 * source is in a transaction.
 *
 * @throws {LonghaulError} `store_corrupt` if the rows differ: then nothing is stored.
 */
export async function copySession(
  { source, target }: { source: StoreTables; target: StoreTables },
  sessionId: string,
): Promise<void> {
  await target.begin('write');
  try {
    await target.dropRest(sessionId);
    const sent = createHash('sha256');
    for (const table of SESSION_TABLES)
      for await (const rows of source.rows(table, sessionId)) {
        addRows(sent, table, rows);
        await target.insert(table, rows);
      }
    const stored = createHash('sha256');
    for (const table of SESSION_TABLES)
      for await (const rows of target.rows(table, sessionId)) addRows(stored, table, rows);
    if (sent.digest('hex') !== stored.digest('hex')) throw differs(sessionId, target.place);
    await target.commit();
  } catch (error) {
    await target.rollback();
    throw error;
  }
}

function addRows(hash: Hash, { name, columns }: Table, rows: readonly Row[]): void {
  for (const row of rows)
    hash.update(`${JSON.stringify([name, ...Object.keys(columns).map((column) => row[column] ?? null)])}\n`);
}

function differs(sessionId: string, place: string): LonghaulError {
  return new LonghaulError(
    'store_corrupt',
    `The rows of session ${sessionId} are not the same in ${place} as in the source, so nothing of it was stored there. Run longhaul doctor --deep for the source, then try again.`,
    { data: { sessionId } },
  );
}
