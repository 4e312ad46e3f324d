import type { Store } from '@longhaul/core';
import { LonghaulError, parseBlobReference, type UserMessageContentPart } from '@longhaul/protocol';
import type { Access } from '../safety/access.ts';
import { holdsBlob } from '../safety/holds-blob.ts';
import type { HandlerContext } from './handler-context.ts';

/**
 * Checks that the blobs of a message exist, and that the token may read them. Without the first check, the message would
 * only fail later, during the run.
 *
 * @param options.sessionId The session of the message. Undefined: it does not exist yet.
 * @throws {LonghaulError} `blob_not_found`
 */
export async function assertBlobs(
  parts: readonly UserMessageContentPart[],
  {
    blobs,
    store,
    sessionId,
    access,
  }: {
    blobs: HandlerContext['blobs'];
    store: Pick<Store, 'readMessages' | 'listQueue'>;
    sessionId: string | undefined;
    access: Access;
  },
): Promise<void> {
  const mayRead = async (id: string) =>
    access.scope === 'admin' || (sessionId !== undefined && (await holdsBlob(store, sessionId, id)));
  for (const part of parts) {
    const id = part.type === 'text' ? undefined : parseBlobReference(part.data);
    if (id === undefined || ((await blobs.stat(id)) !== undefined && (await mayRead(id)))) continue;
    throw new LonghaulError('blob_not_found', `There is no blob ${id}. Send the bytes in base64 instead.`);
  }
}
