import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { Storage } from '../compose/open-storage.ts';
import { type ImportedFile, importFile } from '../import/import-file.ts';

/**
 * Creates a session from a file that came over HTTP. The file's name is used in messages only: it is stored in a new
 * folder, under a fixed name.
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
