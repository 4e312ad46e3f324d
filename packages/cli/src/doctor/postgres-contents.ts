import type { Config } from '@longhaul/config';
import type { Store } from '@longhaul/core';
import { openBlobs } from '../compose/open-blobs.ts';
import { plural } from '../render/format.ts';
import { describeBlobs } from './blobs.ts';
import { type Check, failedCheck } from './check.ts';
import { problemList } from './problem-list.ts';

/** The number of blobs that are compared with their hash without `--deep`. */
const SAMPLE = 20;
const PAGE = 200;

/** Checks the blobs of a PostgreSQL database, and with `deep` all blobs and rows. Changes nothing. */
export async function checkPostgresContents(
  storage: Pick<Config['storage'], 'url' | 'blobs'>,
  { deep }: { deep: boolean },
): Promise<Check[]> {
  const [{ openPostgresStore }, { examinePostgresBlobs }] = await Promise.all([
    import('@longhaul/storage/postgres'),
    import('@longhaul/storage/postgres-maintenance'),
  ]);
  const { url } = storage;
  await using store = await openPostgresStore({ url, access: 'read', maxConnections: 2 });
  const rows = deep ? await checkRows(store) : [];
  try {
    const blobs = await openBlobs(storage, store, process.env);
    const facts = await examinePostgresBlobs(
      { url, blobs },
      { compare: deep ? Number.POSITIVE_INFINITY : SAMPLE },
    );
    const described = describeBlobs(
      { blobs: facts },
      `Restore the blobs in ${facts.place} from a backup, or set storage.blobs to the place that has them.`,
    );
    return [...rows, { ...described, detail: `${described.detail}; in ${facts.place}` }, ...others(facts)];
  } catch (error) {
    return [...rows, failedCheck('blobs', error)];
  }
}

/** Compares every row with its checksum. */
async function checkRows(store: Store): Promise<Check[]> {
  const damage: string[] = [];
  for (let before: string | undefined; ; ) {
    const page = await store.listSessions({ limit: PAGE, ...(before !== undefined && { before }) });
    for (const { id } of page)
      for (const { table, handle, id: row } of await store.findDamage(id))
        damage.push(`session ${id}, ${handle ?? `${table} ${row}`}`);
    before = page.at(-1)?.id;
    if (page.length < PAGE) break;
  }
  if (damage.length === 0) return [];
  return [
    {
      name: 'rows',
      status: 'damaged',
      detail: `${plural(damage.length, 'row')} changed on disk: ${problemList(damage)}`,
      remedy:
        'The rest can be used: a line that reports the damage replaces a damaged part. Restore a backup, or accept the loss.',
    },
  ];
}

function others({ place, others: found }: { place: string; others: readonly string[] }): Check[] {
  if (found.length === 0) return [];
  return [
    {
      name: 'blobs',
      status: 'missing',
      detail: `${place} also has blobs of ${found.join(', ')}: longhaul gc deletes none`,
      remedy: `Give each database a place of its own with storage.blobs. If a database no longer exists, delete its name from databases in ${place}.`,
    },
  ];
}
