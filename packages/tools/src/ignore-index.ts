import { readdirSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import type { WorkspaceFiles } from '@longhaul/core';
import {
  IGNORE_FILE_NAMES,
  type IgnoreFile,
  IgnoreFileReader,
  isUnsettled,
  type KnownIgnoreFiles,
  lstatOrUndefined,
  orderPatterns,
} from './ignore-files.ts';
import { createIgnoreMatcher, type IgnoreMatcher } from './ignore-matcher.ts';
import { isSkippedFolder } from './workspace-search.ts';

/** After this many folders, other sessions of the process get a turn. */
const FOLDERS_PER_TURN = 256;
/** In larger workspaces, the ignore files of the remaining folders have no effect. */
const MAX_FOLDERS = 50_000;

interface KnownFolder {
  modifiedMs: number;
  isSettled: boolean;
  ignoreFiles: string[];
  folders: string[];
  /** The folders that are not ignored, as `matcher` says. */
  visible?: { matcher: IgnoreMatcher; folders: string[] };
}

/**
 * Finds the ignore files of a workspace. Remembers what is in each folder, and reads a folder again only if it has
 * changed, so that the search itself takes most of the time.
 *
 * Works with paths, and only with names: the files are read through `WorkspaceFiles`.
 */
export class IgnoreFileIndex {
  readonly #folders = new Map<string, KnownFolder>();
  readonly #files: KnownIgnoreFiles = new Map();
  readonly #matchers = new Map<string, { text: string; matcher: IgnoreMatcher }>();

  /** Returns the patterns for a search in a folder, in the order in which the last that matches decides. */
  async patternsFor(files: WorkspaceFiles, start: string, signal: AbortSignal): Promise<string[]> {
    const reader = new IgnoreFileReader(files, this.#files);
    const found = await reader.readDownTo(start);
    const open = [{ folder: start, outer: found, matcher: this.#matcherOf(start, found) }];
    let all = found;
    let count = 0;
    for (let next = open.pop(); next !== undefined && count < MAX_FOLDERS; next = open.pop()) {
      count += 1;
      if (count % FOLDERS_PER_TURN === 0) await setImmediate(undefined, { signal });
      const known = this.#refresh(files.root, next.folder);
      const hasOwn = next.folder !== start && known.ignoreFiles.length > 0;
      const own = hasOwn ? await reader.readIn(next.folder, known.ignoreFiles) : [];
      const outer = own.length === 0 ? next.outer : [...next.outer, ...own];
      const matcher = own.length === 0 ? next.matcher : this.#matcherOf(next.folder, outer);
      if (own.length > 0) all = [...all, ...own];
      for (const folder of visibleFolders(known, next.folder, matcher)) open.push({ folder, outer, matcher });
    }
    if (this.#folders.size > 2 * MAX_FOLDERS) this.#folders.clear();
    return orderPatterns(all);
  }

  #refresh(root: string, folder: string): KnownFolder {
    const path = `${root}/${folder}`;
    const known = this.#folders.get(path);
    const modifiedMs = lstatOrUndefined(path)?.mtimeMs ?? 0;
    if (known?.isSettled && known.modifiedMs === modifiedMs) return known;
    const isSettled = !isUnsettled(modifiedMs);
    const fresh = { modifiedMs, isSettled, ...namesIn(path) };
    this.#folders.set(path, fresh);
    return fresh;
  }

  /** Returns the same matcher for the same patterns. */
  #matcherOf(folder: string, ignoreFiles: readonly IgnoreFile[]): IgnoreMatcher {
    const patterns = orderPatterns(ignoreFiles);
    const text = patterns.join('\n');
    const known = this.#matchers.get(folder);
    if (known?.text === text) return known.matcher;
    const matcher = createIgnoreMatcher(patterns);
    this.#matchers.set(folder, { text, matcher });
    return matcher;
  }
}

function namesIn(path: string): { ignoreFiles: string[]; folders: string[] } {
  const ignoreFiles: string[] = [];
  const folders: string[] = [];
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() && !isSkippedFolder(entry.name)) folders.push(entry.name);
      else if (IGNORE_FILE_NAMES.some((name) => name === entry.name)) ignoreFiles.push(entry.name);
    }
  } catch {
    // Removed in the meantime, or not readable. ripgrep skips it too.
  }
  return { ignoreFiles, folders };
}

function visibleFolders(known: KnownFolder, folder: string, matcher: IgnoreMatcher): string[] {
  if (known.visible?.matcher === matcher) return known.visible.folders;
  const paths = known.folders.map((name) => (folder === '' ? name : `${folder}/${name}`));
  const visible = { matcher, folders: paths.filter((path) => !matcher(path, true)) };
  known.visible = visible;
  return visible.folders;
}
