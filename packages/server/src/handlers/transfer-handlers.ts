import { exportSession, type FamilyExport, treesOfExport, withPacks } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { Access } from '../safety/access.ts';
import { holdsBlob } from '../safety/holds-blob.ts';
import { ownedBy } from '../safety/session-gate.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'exportSession' | 'importSession' | 'getBlob';

export function transferHandlers({
  store,
  blobs,
  workspaces,
  importer,
  mask,
  runtime,
  gate,
}: HandlerContext): Pick<RouteHandlers, Names> {
  /** Contents of files are exported as they are: a file with a masked secret would be another file. */
  async function withFiles(whole: FamilyExport, text: string): Promise<ReadableStream<Uint8Array>> {
    const { packs } = await runtime.files.packsOf(treesOfExport(whole));
    // A missing blob is not in `packs`; the import says which states it cannot restore.
    const pieces = withPacks(text, packs, { blobs, lost: () => undefined });
    return ReadableStream.from<string>(pieces).pipeThrough(new TextEncoderStream());
  }

  async function assertHolds(
    blobId: string,
    { sessionId, access }: { sessionId: string | undefined; access: Access },
  ): Promise<void> {
    if (sessionId === undefined)
      throw new LonghaulError(
        'forbidden',
        `The token "${access.name}" reads blobs of its sessions only. Add the session: ?sessionId=ID.`,
      );
    await gate.assert(access, sessionId, 'see');
    if (await holdsBlob(store, sessionId, blobId)) return;
    throw new LonghaulError('blob_not_found', `The session has no blob ${blobId}.`);
  }

  return {
    async exportSession({ params: { sessionId }, query: { files } }) {
      const whole = await exportSession(store, sessionId);
      const text = mask(JSON.stringify(whole));
      const body = files === 'true' ? await withFiles(whole, text) : text;
      return new Response(body, {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': `attachment; filename="${sessionId.replace(/[^\w-]/g, '_')}.json"`,
        },
      });
    },

    async importSession({ query: { workspace, name }, bytes, signal, access }) {
      const folder = await workspaces.resolve(workspace);
      const imported = await importer.import(bytes, { workspace: folder, signal, name });
      await store.updateSession(imported.sessionId, { metadata: ownedBy(access) });
      return imported;
    },

    async getBlob({ params: { blobId }, query: { type, sessionId }, access }) {
      if (access.scope !== 'admin') await assertHolds(blobId, { sessionId, access });
      const bytes = await blobs.get(blobId);
      // The bytes come from a tool or a user, so a browser must never execute them.
      return new Response(Uint8Array.from(bytes), {
        headers: {
          'content-type': type ?? 'application/octet-stream',
          'content-disposition': type === undefined ? 'attachment' : 'inline',
          'content-security-policy': "default-src 'none'; sandbox",
          'cache-control': 'private, max-age=31536000, immutable',
          etag: `"${blobId}"`,
        },
      });
    },
  };
}
