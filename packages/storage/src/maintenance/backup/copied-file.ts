import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mapFileError } from '../../blobs/blob-errors.ts';
import { makePrivateFolder, PRIVATE_FILE_MODE } from '../../shared/private-folder.ts';

export interface FileContent {
  bytes: number;
  sha256: string;
}

/**
 * Copies a file to a new one that only its owner can access, and syncs it. Returns what was written.
 *
 * @throws {LonghaulError} `store_full`, `store_readonly`; `store_unavailable` if the target exists; the file system's
 * error if the source cannot be read.
 */
export async function copyPrivately(from: string, to: string): Promise<FileContent> {
  try {
    await makePrivateFolder(dirname(to));
    await using file = await open(to, 'wx', PRIVATE_FILE_MODE);
    try {
      const content = await readThrough(from, async (data) => {
        await file.writeFile(data);
      });
      await file.sync();
      return content;
    } catch (error) {
      await rm(to, { force: true });
      throw error;
    }
  } catch (error) {
    throw mapFileError(error, { path: to });
  }
}

export async function hashOfFile(path: string): Promise<FileContent> {
  return await readThrough(path, async () => {});
}

async function readThrough(path: string, receive: (data: Uint8Array) => Promise<void>): Promise<FileContent> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: 1_048_576 })) {
    const data: Uint8Array = chunk;
    hash.update(data);
    bytes += data.length;
    await receive(data);
  }
  return { bytes, sha256: hash.digest('hex') };
}
