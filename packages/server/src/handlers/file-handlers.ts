import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'getDiff' | 'listFiles' | 'readFile' | 'revert' | 'unrevert' | 'getTree';

const MAX_FILE_BYTES = 8 * 1_048_576;

/** Characters of a diff in a response. */
const MAX_DIFF_CHARS = 4_000_000;

export function fileHandlers({ runtime }: HandlerContext): Pick<RouteHandlers, Names> {
  const { files } = runtime;
  return {
    async getDiff({ params: { sessionId }, query: { target } }) {
      const trees = await files.treesOf(sessionId, target);
      if (trees === undefined) return { files: [], diff: '', truncated: false };
      const { before, after } = trees;
      const changes = await files.changes(before, after);
      return { ...trees, ...changes, ...(await collect(files.diff(before, after))) };
    },
    async listFiles({ params: { sessionId }, query }) {
      return { path: query.path, ...(await files.list(sessionId, query)) };
    },

    async readFile({ params: { sessionId }, query }) {
      const bytes = await files.read(sessionId, query, { maxBytes: MAX_FILE_BYTES });
      // The agent may have written it, so a browser must never execute it.
      return new Response(Uint8Array.from(bytes), {
        headers: {
          'content-type': 'application/octet-stream',
          'content-disposition': 'attachment',
          'content-security-policy': "default-src 'none'; sandbox",
        },
      });
    },

    async revert({ params, body: { target, diff, ...options } }) {
      const result = await files.revert(params.sessionId, target, options);
      return diff ? { ...result, ...(await collect(files.revertDiff(result, options))) } : result;
    },
    async unrevert({ params, body: { diff, ...options } }) {
      const result = await files.unrevert(params.sessionId, options);
      return diff ? { ...result, ...(await collect(files.revertDiff(result, options))) } : result;
    },
    getTree: ({ params }) => files.tree(params.sessionId),
  };
}

async function collect(pieces: AsyncIterable<string>): Promise<{ diff: string; truncated: boolean }> {
  let diff = '';
  for await (const piece of pieces) {
    if (diff.length + piece.length > MAX_DIFF_CHARS) return { diff: wholeFiles(diff), truncated: true };
    diff += piece;
  }
  return { diff, truncated: false };
}

/** Leaves out the last file, which may not be whole. */
function wholeFiles(diff: string): string {
  return diff.slice(0, Math.max(0, diff.lastIndexOf('\ndiff --git ') + 1));
}
