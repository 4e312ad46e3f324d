import { posix } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';
import { includedPaths } from './included-paths.ts';

/** An instruction file, as included in the system text. */
export interface InstructionFile {
  /** Relative to the workspace; as people write it if the file is the user's. */
  path: string;
  text: string;
  /** `text` is only the beginning of the file. */
  isCut: boolean;
  /** The file is not valid UTF-8. Its text has U+FFFD in place of what cannot be read. */
  isDamaged?: true;
  /**
   * `user`: the user's own, for all projects. `above`: from a folder above the workspace. Default: in the workspace.
   */
  origin?: 'user' | 'above' | undefined;
  /** Paths of the files that it includes and that were not read, each with the reason. */
  leftOut?: readonly string[];
}

/** The files that can be read for the system text. */
export type InstructionSource = Pick<WorkspaceFiles, 'stat' | 'read'>;

export interface ReadOptions {
  /** Maximum characters of a file. Default 24,000. */
  maxChars?: number;
  origin?: InstructionFile['origin'];
  /** Nobody has named the paths. One that leads out of the workspace is treated as missing. Default false. */
  isFound?: boolean;
}

type FileOptions = ReadOptions & { maxChars: number };

const MAX_CHARS = 24_000;
const MAX_DEPTH = 5;
const MAX_INCLUDED = 20;

/** The files that are read in place of a missing one: the first that exists. */
const IN_PLACE_OF: Readonly<Record<string, readonly string[]>> = { 'AGENTS.md': ['CLAUDE.md', 'GEMINI.md'] };

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
 * Reads instruction files, each followed by the files that it includes. Missing files are skipped. A longer file is
 * cut, and its text then ends with a note. Without an `AGENTS.md`, the `CLAUDE.md` or `GEMINI.md` of its folder is
 * read.
 *
 * @throws {LonghaulError} `path_outside_workspace`, naming the configuration key, for a path that leads out of the
 * workspace. Files that are included from there are left out.
 * @throws Errors of reading, except `not_found`.
 */
export async function readInstructionFiles(
  files: InstructionSource,
  paths: readonly string[],
  { maxChars = MAX_CHARS, origin, isFound = false }: ReadOptions = {},
): Promise<InstructionFile[]> {
  const options = { maxChars, origin, isFound };
  const found = await Promise.all(paths.map((path) => readFirst(files, path, options)));
  const seen = new Map<string, InstructionFile>();
  for (const file of found) if (file !== undefined) await addWithIncluded(file, { files, seen, options });
  return [...seen.values()];
}

/**
 * Cuts the texts that are longer than `maxChars`, and those at the end if all texts together are longer than twice
 * `maxChars`.
 */
export function cutInstructions(
  files: readonly InstructionFile[],
  maxChars = Number.POSITIVE_INFINITY,
): InstructionFile[] {
  let left = 2 * maxChars;
  return files.map((file) => {
    const allowed = Math.min(maxChars, left);
    left = Math.max(0, left - file.text.length);
    if (file.text.length <= allowed) return file;
    return { ...file, isCut: true, text: cutText(file.text.slice(0, allowed), file) };
  });
}

function cutText(text: string, file: Pick<InstructionFile, 'path' | 'origin'>): string {
  return `${text}\n[cut here${file.origin === undefined ? `; read ${file.path} for the rest` : ''}]`;
}

interface Included {
  files: InstructionSource;
  seen: Map<string, InstructionFile>;
  options: FileOptions;
}

/** A file that was read before is not read again, so a cycle ends. */
async function addWithIncluded(file: InstructionFile, all: Included, depth = 0): Promise<void> {
  const { files, seen, options } = all;
  const path = posix.normalize(file.path);
  if (seen.has(path)) return;
  const leftOut: string[] = [];
  seen.set(path, file);
  for (const name of includedPaths(file.text, path)) {
    if (seen.has(name)) continue;
    const problem = depth >= MAX_DEPTH ? 'too deep' : seen.size > MAX_INCLUDED ? 'too many files' : undefined;
    const read = problem ?? (await readIncluded(files, name, options));
    if (typeof read === 'string') leftOut.push(`${name} (${read})`);
    else if (read !== undefined) await addWithIncluded(read, all, depth + 1);
  }
  if (leftOut.length > 0) seen.set(path, { ...file, leftOut });
}

/**
 * Returns the reason if the file may not be read, and undefined if it is missing: `@name.md` can also be a plain word.
 */
async function readIncluded(
  files: InstructionSource,
  path: string,
  options: FileOptions,
): Promise<InstructionFile | string | undefined> {
  if (path.startsWith('..')) return 'outside of the workspace';
  try {
    return await readOne(files, path, options);
  } catch (error) {
    if (!(error instanceof LonghaulError)) throw error;
    return error.code === 'path_outside_workspace' ? 'outside of the workspace' : 'cannot be read';
  }
}

async function readFirst(
  files: InstructionSource,
  path: string,
  options: FileOptions,
): Promise<InstructionFile | undefined> {
  const others = IN_PLACE_OF[posix.basename(path)] ?? [];
  const names = others.map((other) => posix.join(posix.dirname(path), other));
  for (const name of [path, ...names]) {
    const isFound = options.isFound === true || name !== path;
    const file = await readNamed(files, name, { ...options, isFound });
    if (file !== undefined) return file;
  }
  return undefined;
}

async function readNamed(files: InstructionSource, path: string, options: FileOptions) {
  try {
    return await readOne(files, path, options);
  } catch (error) {
    if (!(error instanceof LonghaulError) || error.code !== 'path_outside_workspace') throw error;
    if (options.isFound === true) return undefined;
    const { code, message, data } = error;
    throw new LonghaulError(code, `context.instructions: ${message}`, { cause: error, data });
  }
}

async function readOne(
  files: InstructionSource,
  path: string,
  { maxChars, origin }: FileOptions,
): Promise<InstructionFile | undefined> {
  try {
    const info = await files.stat(path);
    if (info?.kind !== 'file') return undefined;
    const bytes = await files.read(path, { start: 0, length: maxChars });
    const isCut = info.size > maxChars;
    const { text, isDamaged } = decode(bytes, isCut);
    const file = { path, ...(origin && { origin }) };
    return { ...file, isCut, text: isCut ? cutText(text, file) : text, ...(isDamaged && { isDamaged }) };
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/** A cut can be inside of a character: then its bytes are left out. */
function decode(bytes: Uint8Array, isCut: boolean): { text: string; isDamaged?: true } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: isCut }) };
  } catch {
    return { text: new TextDecoder().decode(bytes), isDamaged: true };
  }
}
