import { exportSession } from '@longhaul/core';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'exportSession' | 'importSession' | 'getBlob';

export function transferHandlers({
  store,
  blobs,
  workspaces,
  importer,
  mask,
}: HandlerContext): Pick<RouteHandlers, Names> {
  return {
    async exportSession({ params: { sessionId } }) {
      const text = mask(JSON.stringify(await exportSession(store, sessionId)));
      return new Response(text, {
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
