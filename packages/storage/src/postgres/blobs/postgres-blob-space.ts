import { createHash } from 'node:crypto';
import type { BlobInfo } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { asc, eq, gt, sql } from 'drizzle-orm';
import { blobDamaged, blobNotFound, isBlobId } from '../../blobs/blob-errors.ts';
import type { BlobSpace } from '../../blobs/blob-space.ts';
import { blobs } from '../schema.ts';
import type { PostgresCore } from '../stores/store-core.ts';
import { keepBlob } from './dying-blobs.ts';

/** A blob passes through the memory of the server and of this process, several times at once. */
const MAX_BYTES = 64 * 1024 * 1024;
const PAGE = 1_000;

/** Stores blobs in a table, next to the sessions. A blob can have 64 MiB. */
export function createPostgresBlobSpace(core: PostgresCore, address: string): BlobSpace {
  const stat = async (id: string): Promise<BlobInfo | undefined> => {
    if (!isBlobId(id)) return undefined;
    return core.query(async (db) => {
      const [row] = await db.select({ size: blobs.size }).from(blobs).where(eq(blobs.id, id));
      return row === undefined ? undefined : { id, ...row };
    }, '');
  };

  async function put(data: Uint8Array): Promise<BlobInfo> {
    if (data.length > MAX_BYTES) throw tooLarge();
    const id = createHash('sha256').update(data).digest('hex');
    const size = data.length;
    await core.query((db) => keepBlob(db, id), '');
    if ((await stat(id)) === undefined)
      await core.query((db) => db.insert(blobs).values({ id, size, data }).onConflictDoNothing(), '');
    return { id, size };
  }

  return {
    place: `the table blobs of ${address}`,
    put: (data) => put(typeof data === 'string' ? new TextEncoder().encode(data) : data.slice()),
    putStream: async (source) => put(await wholeOf(source)),
    stat,
    async get(id) {
      if (!isBlobId(id)) throw blobNotFound(id);
      const [row] = await core.query((db) => db.select().from(blobs).where(eq(blobs.id, id)), '');
      if (row === undefined) throw blobNotFound(id);
      const data = new Uint8Array(row.data);
      if (createHash('sha256').update(data).digest('hex') !== id) throw blobDamaged(id);
      return data;
    },
    async read(id, { start, length }) {
      if (!isBlobId(id)) throw blobNotFound(id);
      const range = sql<Uint8Array>`substring(${blobs.data} FROM ${start + 1}::int FOR ${length}::int)`;
      const rows = await core.query(
        (db) => db.select({ data: range }).from(blobs).where(eq(blobs.id, id)),
        '',
      );
      if (rows[0] === undefined) throw blobNotFound(id);
      return new Uint8Array(rows[0].data);
    },
    async *list() {
      for (let after = ''; ; ) {
        const columns = { id: blobs.id, size: blobs.size };
        const page = await core.query(
          (db) =>
            db.select(columns).from(blobs).where(gt(blobs.id, after)).orderBy(asc(blobs.id)).limit(PAGE),
          '',
        );
        yield* page;
        const last = page.at(-1);
        if (last === undefined || page.length < PAGE) return;
        after = last.id;
      }
    },
    remove: (id) => core.query(async (db) => void (await db.delete(blobs).where(eq(blobs.id, id))), ''),
    removeLeftovers: async () => ({ count: 0, bytes: 0 }),
    // The table belongs to one store.
    databases: async () => [],
    addDatabase: async () => {},
  };
}

async function wholeOf(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of source) {
    size += chunk.length;
    if (size > MAX_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function tooLarge(): LonghaulError {
  return new LonghaulError(
    'store_full',
    'A blob in PostgreSQL can have 64 MiB. Set storage.blobs to a bucket or to a folder for larger ones.',
    { data: { maxBytes: MAX_BYTES } },
  );
}
