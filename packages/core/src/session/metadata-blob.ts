import {
  blobReference,
  type ErrorCode,
  type JsonValue,
  parseBlobReference,
  parseJson,
  type Session,
  toLonghaulError,
} from '@longhaul/protocol';
import type { BlobStore } from '../ports/index.ts';

// A value that is too long for a session's metadata: a blob, and its reference in the metadata.

const UNWRITABLE: ReadonlySet<ErrorCode> = new Set(['store_full', 'store_readonly', 'store_unavailable']);

/** Returns the reference of the stored value, or undefined if blobs cannot be written. */
export async function putMetadataBlob(value: object, blobs: BlobStore): Promise<string | undefined> {
  try {
    return blobReference((await blobs.put(JSON.stringify(value))).id);
  } catch (error) {
    if (UNWRITABLE.has(toLonghaulError(error).code)) return undefined;
    throw error;
  }
}

/**
 * Returns the value that the metadata refers to. Undefined if there is none, or if the blob is lost. A client can set
 * the metadata of its session, so the reference may name any blob.
 */
export async function getMetadataBlob(
  { metadata }: Pick<Session, 'metadata'>,
  key: string,
  blobs: BlobStore,
): Promise<JsonValue | undefined> {
  const reference = metadata?.[key];
  const id = typeof reference === 'string' ? parseBlobReference(reference) : undefined;
  if (id === undefined) return undefined;
  try {
    return parseJson(Buffer.from(await blobs.get(id)).toString('utf8'));
  } catch (error) {
    if (toLonghaulError(error).code === 'blob_not_found') return undefined;
    throw error;
  }
}
