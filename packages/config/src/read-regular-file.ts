import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

const MAX_BYTES = 10_000_000;

/**
 * Reads a file. Anything else at the path, such as a pipe that nobody writes to, is refused.
 *
 * @throws Errors of opening and reading; an error with the code `EINVAL` for what is no file, and `EFBIG` above 10 MB.
 */
export async function readRegularFile(path: string): Promise<{ bytes: Uint8Array; inode: bigint }> {
  await using handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const info = await handle.stat({ bigint: true });
  if (info.isDirectory()) throw withCode('EISDIR', `${path} is a folder.`);
  if (!info.isFile()) throw withCode('EINVAL', `${path} is not a file.`);
  if (info.size > MAX_BYTES) throw withCode('EFBIG', `${path} has more than ${MAX_BYTES} bytes.`);
  return { bytes: await handle.readFile(), inode: info.ino };
}

function withCode(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}
