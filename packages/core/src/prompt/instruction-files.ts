import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';

/** Characters of one instruction file that go into the system text. */
const MAX_CHARS = 24_000;

/** Reads the workspace's standing instructions. Files that are not there are left out; those too long are cut and say so. */
export async function readInstructionFiles(
  files: Pick<WorkspaceFiles, 'stat' | 'read'>,
  paths: readonly string[],
): Promise<{ path: string; text: string }[]> {
  const found = await Promise.all(paths.map((path) => readOne(files, path)));
  return found.filter((file) => file !== undefined);
}

async function readOne(
  files: Pick<WorkspaceFiles, 'stat' | 'read'>,
  path: string,
): Promise<{ path: string; text: string } | undefined> {
  try {
    if ((await files.stat(path))?.kind !== 'file') return undefined;
    const text = new TextDecoder().decode(await files.read(path, { start: 0, length: MAX_CHARS }));
    const isCut = text.length >= MAX_CHARS;
    return { path, text: isCut ? `${text}\n[cut here: ${path} is longer; read it for the rest]` : text };
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'not_found') return undefined;
    throw error;
  }
}
