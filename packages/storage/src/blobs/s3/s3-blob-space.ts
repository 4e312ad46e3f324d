import { createHash, randomUUID } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BlobInfo } from '@longhaul/core';
import { PRIVATE_FILE_MODE } from '../../shared/private-folder.ts';
import { blobDamaged, blobNotFound, isBlobId, mapFileError } from '../blob-errors.ts';
import {
  type BlobSpace,
  type BlobSpaceOptions,
  type BlobUser,
  DATABASES,
  isBlobUserId,
} from '../blob-space.ts';
import { parseS3Url, shownS3Address } from './s3-address.ts';
import { findCredentials } from './s3-credentials.ts';
import { listObjects } from './s3-list.ts';
import { type S3Connection, s3Request } from './s3-request.ts';

export interface S3BlobSpaceOptions extends BlobSpaceOptions {
  /** Where the keys are found, and missing parameters of the address. */
  env: Readonly<Record<string, string | undefined>>;
}

/**
 * Stores blobs as objects of S3, or of a server with the same interface. Their names are those of the files of
 * `createFileBlobStore`, so a folder can be copied to a bucket and back.
 *
 * @throws {LonghaulError} `config_invalid` for an address that cannot be read. The methods throw `store_unavailable`.
 */
export function createS3BlobSpace(url: string, { env, keep }: S3BlobSpaceOptions): BlobSpace {
  const connection: S3Connection = { address: parseS3Url(url, env), credentials: findCredentials(env) };
  const { prefix } = connection.address;
  const keyOf = (id: string) => `${prefix}${id.slice(0, 2)}/${id.slice(2)}`;

  async function stat(id: string): Promise<BlobInfo | undefined> {
    if (!isBlobId(id)) return undefined;
    const answer = await s3Request(connection, { method: 'HEAD', key: keyOf(id) }, [200, 404]);
    if (answer.status === 404) return undefined;
    return { id, size: Number(answer.headers.get('content-length') ?? 0) };
  }

  async function store({ id, size }: BlobInfo, content: Uint8Array<ArrayBuffer> | Blob): Promise<BlobInfo> {
    await keep?.(id);
    if ((await stat(id))?.size === size) return { id, size };
    const body = { content, sha256: id, size };
    const answer = await s3Request(connection, { method: 'PUT', key: keyOf(id), body }, [200]);
    await answer.body?.cancel();
    return { id, size };
  }

  async function bytesOf(id: string, answer: Response): Promise<Uint8Array> {
    if (answer.status !== 404) return new Uint8Array(await answer.arrayBuffer());
    await answer.body?.cancel();
    throw blobNotFound(id);
  }

  return {
    place: shownS3Address(connection.address),
    stat,
    async put(data) {
      const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : new Uint8Array(data);
      return store({ id: createHash('sha256').update(bytes).digest('hex'), size: bytes.length }, bytes);
    },
    async putStream(source) {
      await using spooled = await spool(source);
      return await store(spooled.info, await openAsBlob(spooled.path));
    },
    async get(id) {
      if (!isBlobId(id)) throw blobNotFound(id);
      const request = { method: 'GET', key: keyOf(id) } as const;
      const bytes = await bytesOf(id, await s3Request(connection, request, [200, 404]));
      if (createHash('sha256').update(bytes).digest('hex') !== id) throw blobDamaged(id);
      return bytes;
    },
    async read(id, { start, length }) {
      if (!isBlobId(id)) throw blobNotFound(id);
      const size = (await stat(id))?.size;
      if (size === undefined) throw blobNotFound(id);
      const end = Math.min(start + length, size);
      if (end <= start) return new Uint8Array();
      const headers = { range: `bytes=${start}-${end - 1}` };
      const request = { method: 'GET', key: keyOf(id), headers } as const;
      return bytesOf(id, await s3Request(connection, request, [206, 404]));
    },
    async *list() {
      for await (const { key, size } of listObjects(connection, prefix)) {
        const id = key.slice(prefix.length).replace('/', '');
        if (isBlobId(id) && key === keyOf(id)) yield { id, size };
      }
    },
    async remove(id) {
      const answer = await s3Request(connection, { method: 'DELETE', key: keyOf(id) }, [200, 204, 404]);
      await answer.body?.cancel();
    },
    // An object is stored as a whole, or not at all.
    removeLeftovers: async () => ({ count: 0, bytes: 0 }),
    async databases() {
      const users: BlobUser[] = [];
      for await (const { key } of listObjects(connection, `${prefix}${DATABASES}/`)) {
        const id = key.slice(`${prefix}${DATABASES}/`.length);
        if (!isBlobUserId(id)) continue;
        const answer = await s3Request(connection, { method: 'GET', key }, [200]);
        users.push({ id, address: (await answer.text()).trim() });
      }
      return users;
    },
    async addDatabase({ id, address }) {
      const content = new TextEncoder().encode(`${address}\n`);
      const sha256 = createHash('sha256').update(content).digest('hex');
      const body = { content, sha256, size: content.length };
      const key = `${prefix}${DATABASES}/${id}`;
      const answer = await s3Request(connection, { method: 'PUT', key, body }, [200]);
      await answer.body?.cancel();
    },
  };
}

/** Writes a stream to a temporary file, because the name of an object is known only at its end. */
async function spool(
  source: AsyncIterable<Uint8Array>,
): Promise<AsyncDisposable & { path: string; info: BlobInfo }> {
  const path = join(tmpdir(), `longhaul-blob-${randomUUID()}`);
  const dispose = () => rm(path, { force: true });
  try {
    await using file = await open(path, 'wx', PRIVATE_FILE_MODE);
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of source) {
      hash.update(chunk);
      size += chunk.length;
      await file.writeFile(chunk);
    }
    return { path, info: { id: hash.digest('hex'), size }, [Symbol.asyncDispose]: dispose };
  } catch (error) {
    await dispose();
    throw mapFileError(error, { path });
  }
}
