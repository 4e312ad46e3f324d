import { LonghaulError, type Mark, type Message } from '@longhaul/protocol';
import type { BlobStore } from '../../ports/index.ts';

interface Log {
  messages: readonly Message[];
  marks: readonly Mark[];
}

/** Returns the recorded trees that an exported session and its children name. */
export function treesOfExport(whole: Log & { children?: readonly Log[] }): Set<string> {
  return new Set([whole, ...(whole.children ?? [])].flatMap((each) => [...recordedTrees(each)]));
}

/** Returns the recorded trees that messages and marks name. */
export function recordedTrees({ messages, marks }: Log): Set<string> {
  const trees = new Set<string>();
  const add = (tree: string | undefined) => tree !== undefined && trees.add(tree);
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type !== 'patch') continue;
      add(part.before);
      add(part.after);
    }
  }
  for (const mark of marks) {
    if (mark.kind !== 'revert') continue;
    add(mark.treeBefore);
    add(mark.treeAfter);
  }
  return trees;
}

/**
 * Yields the text of an export with blobs in a last list, `packs`. One blob is in memory at a time. A blob that is
 * missing or damaged is left out, and passed to `lost`.
 *
 * @param text An export as JSON.
 */
export async function* withPacks(
  text: string,
  packs: Iterable<string>,
  { blobs, lost }: { blobs: Pick<BlobStore, 'get'>; lost: (id: string) => void },
): AsyncGenerator<string> {
  yield `${text.slice(0, text.lastIndexOf('}')).trimEnd()},\n  "packs": [`;
  let separator = '\n';
  for (const id of packs) {
    const data = await readOrLose(blobs, id);
    if (data === undefined) lost(id);
    else {
      yield `${separator}    {"id":"${id}","data":"${Buffer.from(data).toString('base64')}"}`;
      separator = ',\n';
    }
  }
  yield '\n  ]\n}\n';
}

async function readOrLose(blobs: Pick<BlobStore, 'get'>, id: string): Promise<Uint8Array | undefined> {
  try {
    return await blobs.get(id);
  } catch (error) {
    if (error instanceof LonghaulError && LOST.has(error.code)) return undefined;
    throw error;
  }
}

const LOST = new Set<string>(['blob_not_found', 'store_corrupt']);
