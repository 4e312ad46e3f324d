import { LonghaulError } from '@longhaul/protocol';
import type { Storage } from '../compose/open-storage.ts';
import { type ImportedFile, importFile } from '../import/import-file.ts';
import { withUploadedFile } from './uploaded-file.ts';

/**
 * Creates a session from a file that came over HTTP. The file's name is used in messages only.
 *
 * @throws {LonghaulError} `invalid_request` for a file that no importer can read.
 */
export async function importUpload(
  file: Uint8Array,
  options: { workspace: string; name?: string; signal: AbortSignal; storage: Storage },
): Promise<ImportedFile> {
  const outcome = await withUploadedFile(file, (path) => importFile(path, options));
  if (outcome.status === 'imported') return outcome.file;
  const name = options.name === undefined ? 'The file' : JSON.stringify(options.name);
  throw new LonghaulError('invalid_request', `${name} cannot be imported. ${outcome.message}`);
}
