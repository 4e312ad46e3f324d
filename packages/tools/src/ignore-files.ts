import { lstatSync, type Stats } from 'node:fs';
import type { WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

/** An ignore file of the workspace. */
export interface IgnoreFile {
  name: IgnoreFileName;
  bytes: number;
  /**
   * Its patterns, rewritten so that each begins with a slash and is relative to the workspace. `!` remains before it.
   */
  patterns: string[];
}

/** The names of ignore files. A later name overrides an earlier one, in any folder. */
export const IGNORE_FILE_NAMES = ['.gitignore', '.ignore', '.rgignore'] as const;
const GIT_EXCLUDE = '.git/info/exclude';

export type IgnoreFileName = (typeof IGNORE_FILE_NAMES)[number] | typeof GIT_EXCLUDE;

/** A larger ignore file has no effect. */
const MAX_FILE_BYTES = 128 * 1024;
/** How much of all ignore files has an effect. ripgrep needs about 400 bytes of memory for each byte. */
const MAX_TOTAL_BYTES = 256 * 1024;

/**
 * Reads ignore files through `WorkspaceFiles`: only regular files inside the workspace, of a limited size. All others
 * have no effect, so neither a link nor a pipe nor a device is ever opened for its patterns.
 */
export class IgnoreFileReader {
  readonly #files: WorkspaceFiles;
  readonly #known: KnownIgnoreFiles;
  #bytesLeft = MAX_TOTAL_BYTES;

  /** @param known What earlier searches have read. A file is read again only if it has changed. */
  constructor(files: WorkspaceFiles, known: KnownIgnoreFiles = new Map()) {
    this.#files = files;
    this.#known = known;
  }

  /** Reads the ignore files of the workspace itself and of the folders down to `folder`, outer ones first. */
  async readDownTo(folder: string): Promise<IgnoreFile[]> {
    const exclude = await this.#read('', GIT_EXCLUDE);
    const names = folder === '' ? [] : folder.split('/');
    const found = exclude === undefined ? [] : [exclude];
    for (let depth = 0; depth <= names.length; depth += 1)
      found.push(...(await this.readIn(names.slice(0, depth).join('/'), IGNORE_FILE_NAMES)));
    return found;
  }

  async readIn(folder: string, names: readonly string[]): Promise<IgnoreFile[]> {
    const found: IgnoreFile[] = [];
    for (const name of IGNORE_FILE_NAMES) {
      const file = names.includes(name) ? await this.#read(folder, name) : undefined;
      if (file !== undefined) found.push(file);
    }
    return found;
  }

  async #read(folder: string, name: IgnoreFileName): Promise<IgnoreFile | undefined> {
    const path = folder === '' ? name : `${folder}/${name}`;
    const file = await this.#readKnown(path, name);
    if (file === undefined || file.bytes > Math.min(MAX_FILE_BYTES, this.#bytesLeft)) return undefined;
    this.#bytesLeft -= file.bytes;
    return file;
  }

  async #readKnown(path: string, name: IgnoreFileName): Promise<IgnoreFile | undefined> {
    const key = `${this.#files.root}/${path}`;
    const stamp = stampOf(key);
    const known = this.#known.get(key);
    if (known !== undefined && known.stamp === stamp) return known.file;
    this.#known.delete(key);
    const bytes = await readBeginning(this.#files, path);
    if (bytes === undefined) return undefined;
    const folder = name === GIT_EXCLUDE ? '' : path.slice(0, Math.max(0, path.length - name.length - 1));
    const lines = new TextDecoder().decode(bytes).split(/\r?\n/);
    const file = { name, bytes: bytes.length, patterns: lines.flatMap(toRewriter(folder)) };
    if (stamp !== undefined && file.bytes <= MAX_KNOWN_BYTES && this.#known.size < MAX_KNOWN)
      this.#known.set(key, { stamp, file });
    return file;
  }
}

/** Ignore files by their path on this machine. */
export type KnownIgnoreFiles = Map<string, { stamp: string; file: IgnoreFile }>;

const MAX_KNOWN = 1_000;
/** A larger file is read at every search. */
const MAX_KNOWN_BYTES = 8 * 1024;

/** Whether something changed so recently that it can change again with the same time. */
export function isUnsettled(changedMs: number): boolean {
  return Date.now() - changedMs < UNSETTLED_MS;
}

const UNSETTLED_MS = 50;

/** Identifies the content of a regular file. Undefined for anything else, and for a file that has just changed. */
function stampOf(path: string): string | undefined {
  const info = lstatOrUndefined(path);
  if (!info?.isFile() || isUnsettled(info.ctimeMs)) return undefined;
  return [info.dev, info.ino, info.size, info.mtimeMs, info.ctimeMs].join();
}

/** Undefined if it does not exist, or if this user may not look. */
export function lstatOrUndefined(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

async function readBeginning(files: WorkspaceFiles, path: string): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path, { start: 0, length: MAX_FILE_BYTES + 1 });
  } catch (thrown) {
    // Missing, not a regular file, not readable, or outside the workspace.
    if (thrown instanceof LonghaulError || (thrown instanceof Error && 'code' in thrown)) return undefined;
    throw thrown;
  }
}

/**
 * Returns a function that rewrites a pattern of an ignore file in `folder`, so that it is relative to the workspace.
 */
export function toRewriter(folder: string): (line: string) => string[] {
  // A pattern cannot contain a line feed.
  const escaped = folder.replace(/[\\*?[\]{},!#]/g, '\\$&').replace(/[\r\n\ufffd]/g, '?');
  const prefix = folder === '' ? '' : `/${escaped}`;
  return (line) => {
    const isNegated = line.startsWith('!');
    const pattern = (isNegated ? line.slice(1) : line).replace(/(?<!\\)[ \t]+$/, '');
    if (pattern.replaceAll('/', '') === '' || line.startsWith('#')) return [];
    const isAnchored = pattern.replace(/\/+$/, '').includes('/');
    const anchored = isAnchored ? `/${pattern.replace(/^\/+/, '')}` : `/**/${pattern}`;
    // What is in the folder, but not the folder itself.
    const whole = anchored.replace(/\/\*\*(\/?)$/, '/**/*$1');
    return [`${isNegated ? '!' : ''}${prefix}${whole}`];
  };
}

/** Returns all patterns in the order in which the last that matches decides. Files of outer folders must come first. */
export function orderPatterns(ignoreFiles: readonly IgnoreFile[]): string[] {
  return [GIT_EXCLUDE, ...IGNORE_FILE_NAMES].flatMap((name) =>
    ignoreFiles.filter((file) => file.name === name).flatMap(({ patterns }) => patterns),
  );
}
