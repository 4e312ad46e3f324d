import { opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { fuzzyFilter } from '../pi-tui.ts';

const MAX_PATHS = 50_000;
const MAX_DEPTH = 12;
/** The list is read again after this time. */
const FRESH_MS = 10_000;
/** Folders that no person attaches from, and that can be huge. */
const SKIPPED: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', '__pycache__', '.hg', '.svn']);

/** A mention cannot contain these. */
const UNTYPED = /[\p{Cc}"]/u;

/** Finds paths of a folder by words. Reads the folder when it is first asked, and never follows links. */
export class PathIndex {
  readonly #root: string;
  readonly #limit: number;
  #read: { at: number; paths: Promise<readonly string[]> } | undefined;

  /** @param limit More paths are not completed. */
  constructor(root: string, limit = MAX_PATHS) {
    this.#root = root;
    this.#limit = limit;
  }

  async find(words: string, signal: AbortSignal): Promise<readonly string[]> {
    const now = performance.now();
    if (this.#read === undefined || now - this.#read.at > FRESH_MS)
      this.#read = { at: now, paths: readPaths(this.#root, this.#limit) };
    const paths = await this.#read.paths;
    if (signal.aborted) return [];
    if (words === '') return paths.filter((path) => !path.slice(0, -1).includes('/'));
    return fuzzyFilter([...paths], words, (path) => path);
  }
}

/** Breadth first, so that a limit leaves out what is deep. */
async function readPaths(root: string, limit: number): Promise<readonly string[]> {
  const paths: string[] = [];
  let folders = [''];
  for (let depth = 0; depth < MAX_DEPTH && folders.length > 0; depth += 1) {
    const next: string[] = [];
    for (const folder of folders) {
      for (const { name, isFolder } of await entriesOf(join(root, folder), limit - paths.length)) {
        const path = folder + name;
        paths.push(isFolder ? `${path}/` : path);
        if (isFolder && !SKIPPED.has(name)) next.push(`${path}/`);
      }
      if (paths.length >= limit) return paths;
    }
    folders = next;
  }
  return paths;
}

async function entriesOf(folder: string, limit: number): Promise<{ name: string; isFolder: boolean }[]> {
  try {
    const entries: { name: string; isFolder: boolean }[] = [];
    for await (const entry of await opendir(folder)) {
      if ((entry.isDirectory() || entry.isFile()) && !UNTYPED.test(entry.name))
        entries.push({ name: entry.name, isFolder: entry.isDirectory() });
      if (entries.length >= limit) break;
    }
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    // The folder was removed in the meantime, or this user may not read it: its paths are not completed.
    return [];
  }
}
