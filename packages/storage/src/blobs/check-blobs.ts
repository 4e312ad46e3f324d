import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { blobPath, infoOf } from './blob-files.ts';

export interface BlobCheck {
  /** Number of blobs whose content was compared with its hash. */
  compared: number;
  /** Ids of blobs that are referenced but not in the folder. */
  missing: string[];
  /** Ids of blobs whose content does not match the id or cannot be read. */
  damaged: string[];
}

/**
 * Checks that each named blob exists, and compares the content of up to `compare` of them, evenly spread, with their
 * hash.
 */
export async function checkBlobs(
  folder: string,
  names: Iterable<string>,
  { compare = Number.POSITIVE_INFINITY }: { compare?: number } = {},
): Promise<BlobCheck> {
  const ids = [...names];
  const every = Math.max(1, Math.ceil(ids.length / Math.max(1, compare)));
  const check: BlobCheck = { compared: 0, missing: [], damaged: [] };
  for (const [index, id] of ids.entries()) {
    const path = blobPath(folder, id);
    if ((await infoOf(path)) === undefined) {
      check.missing.push(id);
    } else if (index % every === 0) {
      check.compared += 1;
      if ((await hashOf(path)) !== id) check.damaged.push(id);
    }
  }
  return check;
}

/** Returns undefined if the file cannot be read. */
export async function hashOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}
