import { exportSession, type FamilyExport, treesOfExport, withPacks } from '@longhaul/core';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'exportSession' | 'importSession' | 'getBlob';

export function transferHandlers({
  store,
  blobs,
  workspaces,
  importer,
  mask,
  runtime,
}: HandlerContext): Pick<RouteHandlers, Names> {
  /** Contents of files are exported as they are: a file with a masked secret would be another file. */
  async function withFiles(whole: FamilyExport, text: string): Promise<ReadableStream<Uint8Array>> {
    const { packs } = await runtime.files.packsOf(treesOfExport(whole));
    // A missing blob is not in `packs`; the import says which states it cannot restore.
    const pieces = withPacks(text, packs, { blobs, lost: () => undefined });
    return ReadableStream.from<string>(pieces).pipeThrough(new TextEncoderStream());
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

    async importSession({ query: { workspace, name }, bytes, signal }) {
      const folder = await workspaces.resolve(workspace);
      return importer.import(bytes, { workspace: folder, signal, name });
    },

    async getBlob({ params: { blobId }, query: { type } }) {
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
