import { createHash } from 'node:crypto';
import type { BlobInfo, BlobStore } from '@longhaul/core';
import { blobNotFound } from './blob-errors.ts';

/** Keeps blobs in memory until the process ends. */
export function createMemoryBlobStore(): BlobStore {
  const blobs = new Map<string, Uint8Array>();

  function put(bytes: Uint8Array): BlobInfo {
    const id = createHash('sha256').update(bytes).digest('hex');
    if (!blobs.has(id)) blobs.set(id, bytes);
    return { id, size: bytes.length };
  }

  function existing(id: string): Uint8Array {
    const bytes = blobs.get(id);
    if (bytes === undefined) throw blobNotFound(id);
    return bytes;
  }

  return {
    put: async (data) => put(typeof data === 'string' ? new TextEncoder().encode(data) : data.slice()),
    putStream: async (source) => put(new Uint8Array(Buffer.concat(await Array.fromAsync(source)))),
    get: async (id) => existing(id).slice(),
    read: async (id, { start, length }) => existing(id).slice(start, start + length),
    stat: async (id) => {
      const bytes = blobs.get(id);
      return bytes === undefined ? undefined : { id, size: bytes.length };
    },
  };
}
