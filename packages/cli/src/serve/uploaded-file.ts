import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Stores a file that came over HTTP in a new folder, under a fixed name, while the work uses it. Only this user can
 * read it.
 */
export async function withUploadedFile<Result>(
  file: Uint8Array,
  work: (path: string) => Promise<Result>,
): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-upload-'));
  try {
    const path = join(folder, 'upload');
    await writeFile(path, file, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
