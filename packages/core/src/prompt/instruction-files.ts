import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';

/** An instruction file of the workspace, as included in the system text. */
export interface InstructionFile {
  path: string;
  text: string;
  /** `text` is only the beginning of the file. The model can read the rest. */
  isCut: boolean;
}

const MAX_CHARS = 24_000;

/**
 * Characters of an instruction file per token of the window: about a tenth of the window. The system text is part of
 * every request.
 */
const CHARS_PER_WINDOW_TOKEN = 0.4;

/** Returns the maximum characters of one instruction file: 0.4 per token of the window, at most 24,000. */
export function maxInstructionChars(windowTokens: number): number {
  return Math.min(MAX_CHARS, Math.floor(windowTokens * CHARS_PER_WINDOW_TOKEN));
}

/**
 * Reads the workspace's instruction files. Missing files are skipped. A longer file is cut, and its text then ends with
 * a note.
 *
 * @throws {LonghaulError} `path_outside_workspace`, naming the configuration key, for a path that leads out of the
 * workspace.
 * @throws Errors of reading, except `not_found`.
 */
export async function readInstructionFiles(
  files: Pick<WorkspaceFiles, 'stat' | 'read'>,
  paths: readonly string[],
  maxChars = MAX_CHARS,
): Promise<InstructionFile[]> {
  const found = await Promise.all(paths.map((path) => readOne(files, path, maxChars)));
  return found.filter((file) => file !== undefined);
}

/** Cuts the texts that are longer than `maxChars`. */
export function cutInstructions(
  files: readonly InstructionFile[],
  maxChars = Number.POSITIVE_INFINITY,
): InstructionFile[] {
  return files.map((file) =>
    file.text.length <= maxChars
      ? file
      : { ...file, isCut: true, text: cutText(file.text.slice(0, maxChars), file.path) },
  );
}

function cutText(text: string, path: string): string {
  return `${text}\n[cut here; read ${path} for the rest]`;
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
      text: isCut ? cutText(text, path) : text,
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
