import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';

/** A recorded answer is much smaller. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Reads a file with recorded answers.
 *
 * @throws {LonghaulError} `file_unreadable` if it is missing, not a regular file, or too large.
 */
export async function readRecording(path: string): Promise<string> {
  // A FIFO would make a plain open wait for a writer.
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
    throw unreadable(path, reasonOf(error), error);
  });
  await using _closed = handle;
  const info = await handle.stat();
  if (info.isDirectory()) throw unreadable(path, 'is a folder. Name a file with recorded answers.');
  if (!info.isFile()) throw unreadable(path, 'is not a regular file. Save the recording to a file.');
  if (info.size > MAX_BYTES) throw unreadable(path, `has more than ${MAX_BYTES} bytes.`);
  return await handle.readFile('utf8');
}

function reasonOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist.';
  if (code === 'EACCES' || code === 'EPERM') return 'may not be read by this user.';
  return `cannot be read: ${error instanceof Error ? error.message : String(error)}`;
}

function unreadable(path: string, reason: string, cause?: unknown): LonghaulError {
  return new LonghaulError('file_unreadable', `${path} ${reason}`, { cause });
}
