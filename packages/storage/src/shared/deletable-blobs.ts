import type { OutputRecord } from '@longhaul/core';
import { blobReference, treeReference } from '@longhaul/protocol';

/** A place that names a blob. Without a handle, it is not the output of a call. */
export interface BlobUse {
  blobId: string;
  sessionId?: string;
  handle?: string;
}

/**
 * Returns the blobs of outputs that can be deleted: every place that names such a blob is one of the outputs to delete,
 * or one that was deleted before.
 */
export function deletableBlobs(
  outputs: readonly OutputRecord[],
  {
    sessionId,
    handles,
    usesOf,
  }: { sessionId: string; handles: readonly string[]; usesOf: (blobIds: readonly string[]) => BlobUse[] },
): string[] {
  const wanted = new Set(handles);
  const chosen = outputs.filter(({ handle, deletedAt }) => deletedAt === undefined && wanted.has(handle));
  if (chosen.length === 0) return [];
  const blobs = new Set(chosen.map(({ blobId }) => blobId));
  const gone = new Set(
    outputs
      .filter(({ handle, deletedAt }) => deletedAt !== undefined || wanted.has(handle))
      .map(({ handle }) => handle),
  );
  for (const use of usesOf([...blobs])) {
    const isGone = use.sessionId === sessionId && use.handle !== undefined && gone.has(use.handle);
    if (!isGone) blobs.delete(use.blobId);
  }
  return [...blobs];
}

/** Whether a text names a blob, as itself or as a recorded tree. */
export function isNamedIn(text: string, blobId: string): boolean {
  return text.includes(blobReference(blobId)) || text.includes(treeReference(blobId));
}
