import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { InstructionSource } from './instruction-files.ts';

/** Opening a pipe must not wait for a writer. */
const READ = constants.O_RDONLY | constants.O_NONBLOCK;

/** Reads files below a folder of this machine. A path that leads out of it, also by a link, is treated as missing. */
export function hostFiles(folder: string): InstructionSource {
  const inside = async (path: string): Promise<string | undefined> => {
    const [root, file] = await Promise.all([
      realpathOrUndefined(folder),
      realpathOrUndefined(join(folder, path)),
    ]);
    return root !== undefined && file?.startsWith(root.endsWith(sep) ? root : root + sep) ? file : undefined;
  };
  return {
    async stat(path) {
      const file = await inside(path);
      if (file === undefined) return undefined;
      await using handle = await open(file, READ);
      const stats = await handle.stat();
      return { kind: stats.isFile() ? 'file' : 'other', size: stats.size, modifiedAt: stats.mtimeMs };
    },
    async read(path, range = { start: 0, length: 0 }) {
      const file = await inside(path);
      if (file === undefined) return new Uint8Array();
      await using handle = await open(file, READ);
      const { buffer, bytesRead } = await handle.read(
        Buffer.alloc(range.length),
        0,
        range.length,
        range.start,
      );
      return buffer.subarray(0, bytesRead);
    },
  };
}

/** Undefined: the file is missing or not accessible. The system text is built without it. */
export async function realpathOrUndefined(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
}
