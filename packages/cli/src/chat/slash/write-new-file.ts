import { writeFile } from 'node:fs/promises';
import { LonghaulError } from '@longhaul/protocol';

/** What is wrong with a path, by the code of the system. */
const PROBLEMS: Readonly<Record<string, string>> = {
  EEXIST: 'exists already. Name another file.',
  EISDIR: 'is a folder. Name a file in it.',
  ENOENT: 'is in a folder that does not exist. Create the folder, or name another file.',
  ENOTDIR: 'is in something that is not a folder. Name another file.',
  EACCES: 'is in a folder where you cannot write. Name another file.',
  EROFS: 'is on a disk that cannot be written. Name another file.',
  ENOSPC: 'cannot be written: the disk is full.',
};

/**
 * Writes data as JSON into a new file that only its owner can read. Never overwrites a file.
 *
 * @throws {LonghaulError} `usage`
 */
export async function writeNewFile(path: string, data: unknown): Promise<void> {
  try {
    await writeFile(path, `${JSON.stringify(data, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    const problem = PROBLEMS[code] ?? `cannot be written (${code}). Name another file.`;
    throw new LonghaulError('usage', `${path} ${problem}`, { cause: error });
  }
}
