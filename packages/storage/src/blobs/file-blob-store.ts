import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobInfo, BlobStore } from '@longhaul/core';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../shared/private-folder.ts';
import { blobDamaged, blobNotFound, isBlobId, mapFileError } from './blob-errors.ts';
import type { BlobSpaceOptions } from './blob-space.ts';
import { hashOf } from './check-blobs.ts';

/**
 * Stores blobs as files in a folder: id `abcdef…` is file `ab/cdef…`. The folder is created on the first write. A blob
 * is written to a temporary file, synced and then renamed, so a file with a blob's name is always complete. Several
 * processes may share a folder.
 *
 * @example const blobs = createFileBlobStore('/home/me/.local/share/longhaul/blobs');
 */
export function createFileBlobStore(folder: string, { keep }: BlobSpaceOptions = {}): BlobStore {
  const pathOf = (id: string) => join(folder, id.slice(0, 2), id.slice(2));

  async function put(data: Uint8Array | string): Promise<BlobInfo> {
    const bytes = typeof data === 'string' ? new TextEncoder().encode(data) : data;
    const id = createHash('sha256').update(bytes).digest('hex');
    await keep?.(id);
    const known = await statBlob(pathOf(id), id);
    // The size is compared because after a power cut a file system may keep a file's name but lose its content.
    // The hash is compared so that a damaged blob is replaced.
    if (known?.size === bytes.length && (await hashOf(pathOf(id))) === id && (await touch(pathOf(id))))
      return known;
    return store(folder, pathOf, async (file) => {
      await writeAll(file, bytes);
      return { id, size: bytes.length };
    });
  }

  function putStream(source: AsyncIterable<Uint8Array>): Promise<BlobInfo> {
    return store(folder, pathOf, async (file) => {
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of source) {
        hash.update(chunk);
        size += chunk.length;
        await writeAll(file, chunk);
      }
      const id = hash.digest('hex');
      await keep?.(id);
      return { id, size };
    });
  }

  async function get(id: string): Promise<Uint8Array> {
    if (!isBlobId(id)) throw blobNotFound(id);
    try {
      const bytes = new Uint8Array(await readFile(pathOf(id)));
      if (createHash('sha256').update(bytes).digest('hex') !== id) throw blobDamaged(id);
      return bytes;
    } catch (error) {
      throw mapFileError(error, { path: pathOf(id), id });
    }
  }

  /** Blobs whose whole content matched their hash. A blob is read in pieces many times. */
  const compared = new Set<string>();

  async function assertUndamaged(id: string): Promise<void> {
    if (compared.has(id)) return;
    const hash = await hashOf(pathOf(id));
    if (hash !== undefined && hash !== id) throw blobDamaged(id);
    if (hash === id) compared.add(id);
  }

  async function read(id: string, range: { start: number; length: number }): Promise<Uint8Array> {
    if (!isBlobId(id)) throw blobNotFound(id);
    await assertUndamaged(id);
    try {
      await using file = await open(pathOf(id), 'r');
      const { size } = await file.stat();
      const length = Math.max(0, Math.min(range.length, size - range.start));
      const bytes = new Uint8Array(length);
      await readAll(file, bytes, range.start);
      return bytes;
    } catch (error) {
      throw mapFileError(error, { path: pathOf(id), id });
    }
  }

  return {
    put,
    putStream,
    get,
    read,
    stat: async (id) => (isBlobId(id) ? statBlob(pathOf(id), id) : undefined),
  };
}

/**
 * Sets the modification time to now, because `sweepBlobs` never deletes young blobs. Returns false if the blob no
 * longer exists.
 */
async function touch(path: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(path, now, now);
    return true;
  } catch (error) {
    const code = error instanceof Error ? Reflect.get(error, 'code') : undefined;
    if (code === 'ENOENT') return false;
    // A file whose time cannot be set cannot be deleted either.
    if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return true;
    throw error;
  }
}

async function statBlob(path: string, id: string): Promise<BlobInfo | undefined> {
  try {
    return { id, size: (await stat(path)).size };
  } catch (error) {
    const mapped = mapFileError(error, { path, id });
    if (mapped instanceof Error && 'code' in mapped && mapped.code === 'blob_not_found') return undefined;
    throw mapped;
  }
}

/**
 * Writes a temporary file, syncs it and renames it to the blob's path. On any failure, the temporary file is removed.
 */
async function store(
  folder: string,
  pathOf: (id: string) => string,
  write: (file: FileHandle) => Promise<BlobInfo>,
): Promise<BlobInfo> {
  const temporary = join(folder, 'tmp', randomUUID());
  try {
    await makePrivateFolder(dirname(temporary));
    const info = await writeDurably(temporary, write);
    const path = pathOf(info.id);
    await makePrivateFolder(dirname(path));
    await rename(temporary, path);
    await syncFolder(dirname(path));
    return info;
  } catch (error) {
    await rm(temporary, { force: true });
    throw mapFileError(error, { path: folder });
  }
}

async function writeDurably(path: string, write: (file: FileHandle) => Promise<BlobInfo>): Promise<BlobInfo> {
  await using file = await open(path, 'wx', PRIVATE_FILE_MODE);
  const info = await write(file);
  await file.sync();
  return info;
}

/** Makes a rename in the folder durable. */
async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}

async function writeAll(file: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let start = 0; start < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, start);
    start += bytesWritten;
  }
}

async function readAll(file: FileHandle, bytes: Uint8Array, from: number): Promise<void> {
  for (let start = 0; start < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, start, bytes.length - start, from + start);
    if (bytesRead === 0) return;
    start += bytesRead;
  }
}
