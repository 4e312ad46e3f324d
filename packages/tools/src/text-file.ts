import type { FileInfo, WorkspaceFiles } from '@longhaul/core';
import { displayPath, sizeAndLimit } from '@longhaul/core/tool-output';
import { describeMissing } from './describe-missing.ts';

const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * Loads a file's text unchanged, with byte order mark and line ends, or the reason why it cannot be edited.
 * `isMissing`: there is no such file.
 */
export async function loadText(
  files: WorkspaceFiles,
  given: string,
): Promise<{ path: string; text: string } | { refusal: string; isMissing?: true }> {
  const info = await files.stat(given);
  if (info === undefined) return { refusal: await describeMissing(files, given), isMissing: true };
  const path = await files.resolve(given);
  const unfit = whyUnfit(info);
  if (unfit !== undefined) return { refusal: `${displayPath(path)} ${unfit}` };
  const bytes = await files.read(path);
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (!text.includes('\0')) return { path, text };
  } catch (thrown) {
    if (!(thrown instanceof TypeError)) throw thrown;
  }
  return {
    refusal: `${displayPath(path)} is not a text file in UTF-8. Change it with bash.`,
  };
}

function whyUnfit(info: FileInfo): string | undefined {
  if (info.kind === 'directory') return 'is a folder: give the path of a file.';
  if (info.kind === 'other') return 'is not a regular file.';
  if (info.size <= MAX_FILE_BYTES) return undefined;
  const { size, limit } = sizeAndLimit(info.size, MAX_FILE_BYTES);
  return `is too large for edit (${size}, at most ${limit}). Change it with bash, for example with sed.`;
}
