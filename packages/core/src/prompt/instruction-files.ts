import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';

/** A standing instruction of the workspace, as it goes into the system text. */
export interface InstructionFile {
  path: string;
  text: string;
  /** The file is longer; its rest is left for the model to read. */
  isCut: boolean;
}

const MAX_CHARS = 24_000;

/** Share of the window, in characters: about a tenth of its tokens. System text is part of every request, and a small window needs the room. */
const CHARS_A_WINDOW_TOKEN = 0.4;

export function maxInstructionChars(windowTokens: number): number {
  return Math.min(MAX_CHARS, Math.floor(windowTokens * CHARS_A_WINDOW_TOKEN));
}

/**
 * Reads the workspace's standing instructions. Files that are not there are left out; those too long are cut and say so.
 *
 * @throws {LonghaulError} `path_outside_workspace`, naming the key, for a path that leads out of the workspace; what reading throws.
 */
export async function readInstructionFiles(
  files: Pick<WorkspaceFiles, 'stat' | 'read'>,
  paths: readonly string[],
  maxChars = MAX_CHARS,
): Promise<InstructionFile[]> {
  const found = await Promise.all(paths.map((path) => readOne(files, path, maxChars)));
  return found.filter((file) => file !== undefined);
}

async function readOne(
  files: Pick<WorkspaceFiles, 'stat' | 'read'>,
  path: string,
  maxChars: number,
): Promise<InstructionFile | undefined> {
  try {
    const info = await files.stat(path);
    if (info?.kind !== 'file') return undefined;
    const text = new TextDecoder().decode(await files.read(path, { start: 0, length: maxChars }));
    const isCut = info.size > maxChars;
    return {
      path,
      isCut,
      text: isCut ? `${text}\n[cut here: ${path} is longer; read it for the rest]` : text,
    };
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'not_found') return undefined;
    if (error instanceof LonghaulError && error.code === 'path_outside_workspace') {
      throw new LonghaulError(error.code, `context.instructions: ${error.message}`, {
        cause: error,
        data: error.data,
      });
    }
    throw error;
  }
}
