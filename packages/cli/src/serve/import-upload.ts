import { LonghaulError } from '@longhaul/protocol';
import type { Storage } from '../compose/open-storage.ts';
import { type ImportedFile, type ImportOutcome, importFile, sessionsIn } from '../import/import-file.ts';
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
  const outcome = await withUploadedFile(file, (path) => importOnly(path, options));
  if (outcome.status === 'imported') return outcome.file;
  const name = options.name === undefined ? 'The file' : JSON.stringify(options.name);
  throw new LonghaulError('invalid_request', `${name} cannot be imported. ${outcome.message}`);
}

/** One request creates one session. */
async function importOnly(path: string, options: Parameters<typeof importFile>[1]): Promise<ImportOutcome> {
  const { length } = await sessionsIn(path);
  if (length === 1) return await importFile(path, options);
  const message = `It contains ${length} sessions. Import it with the command longhaul import, which creates all of them.`;
  return { status: 'problem', message };
}
