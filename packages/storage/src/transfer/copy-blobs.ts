import type { BlobStore } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

export interface CopiedBlobs {
  copied: number;
  bytes: number;
  /** Blobs that the target had. */
  present: number;
  missing: string[];
  damaged: string[];
}

/** Larger blobs are copied in pieces of this size. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** Copies blobs that the target does not have. Blobs that are missing or damaged in the source are added to the report. */
export async function copyBlobs(
  { source, target }: { source: BlobStore; target: BlobStore },
  ids: Iterable<string>,
  report: CopiedBlobs,
): Promise<void> {
  for (const id of ids) {
    const [size, isPresent] = [(await source.stat(id))?.size, (await target.stat(id)) !== undefined];
    if (size === undefined) {
      if (isPresent) report.present += 1;
      else report.missing.push(id);
      continue;
    }
    try {
      // One that is present is stored again, so that garbage collection keeps it.
      const copy = await copyBlob({ source, target }, { id, size });
      if (copy.id !== id) report.damaged.push(id);
      else if (isPresent) report.present += 1;
      else {
        report.copied += 1;
        report.bytes += size;
      }
    } catch (error) {
      if (!isDamage(error)) throw error;
      report.damaged.push(id);
    }
  }
}

async function copyBlob(
  { source, target }: { source: BlobStore; target: BlobStore },
  { id, size }: { id: string; size: number },
) {
  if (size <= PIECE_BYTES) return target.put(await source.get(id));
  return target.putStream(piecesOf(source, { id, size }));
}

async function* piecesOf(
  source: BlobStore,
  { id, size }: { id: string; size: number },
): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < size; start += PIECE_BYTES)
    yield await source.read(id, { start, length: PIECE_BYTES });
}

function isDamage(error: unknown): boolean {
  return error instanceof LonghaulError && error.code === 'blob_not_found';
}
