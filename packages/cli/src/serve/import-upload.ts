import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { Storage } from '../compose/open-storage.ts';
import { type ImportedFile, importFile } from '../import/import-file.ts';

/**
 * Makes a session of a file that came over HTTP. Its name is for messages only: it is written below a folder of its own, under a name of
 * ours.
 *
 * @throws {LonghaulError} `invalid_request` for a file that no importer can read.
 */
export async function importUpload(
  file: Uint8Array,
  options: { workspace: string; name?: string; signal: AbortSignal; storage: Storage },
): Promise<ImportedFile> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-import-'));
  try {
    const path = join(folder, 'upload');
    await writeFile(path, file, { mode: 0o600 });
    const outcome = await importFile(path, options);
    if (outcome.status === 'imported') return outcome.file;
    const name = options.name === undefined ? 'The file' : JSON.stringify(options.name);
    throw new LonghaulError('invalid_request', `${name} cannot be imported. ${outcome.message}`);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
