import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { groupDigits } from '@longhaul/core/tool-output';

const MAX_BYTES = 10_000_000;

/**
 * Reads a file. Anything else at the path, such as a pipe that nobody writes to, is refused.
 *
 * @throws Errors of opening and reading; an error with the code `EINVAL` for what is not a file, and `EFBIG` above `maxBytes`. Default: 10 MB.
 */
export async function readRegularFile(
  path: string,
  maxBytes = MAX_BYTES,
): Promise<{ bytes: Uint8Array; inode: bigint }> {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const info = await handle.stat({ bigint: true });
  if (info.isDirectory()) throw withCode('EISDIR', `${path} is a folder.`);
  if (!info.isFile()) throw withCode('EINVAL', `${path} is not a file.`);
  const tooLarge = withCode('EFBIG', `${path} has more than ${maxBytes} bytes.`);
  if (info.size > maxBytes) throw tooLarge;
  // The file can grow while it is read.
  const bytes = new Uint8Array(Number(info.size) + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    read = (await handle.read(bytes, length, bytes.length - length, length)).bytesRead;
  }
  if (length > maxBytes) throw tooLarge;
  return { bytes: bytes.subarray(0, length), inode: info.ino };
}

/** Why a file cannot be read, in words that complete "SKILL.md …". */
export function unreadable(error: unknown, maxBytes: number): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
  return code === 'EFBIG'
    ? `has more than ${groupDigits(maxBytes)} bytes. Shorten it`
    : `cannot be read (${code})`;
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
