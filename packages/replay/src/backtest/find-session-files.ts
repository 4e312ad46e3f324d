import { opendir, stat } from 'node:fs/promises';
import { extname, join } from 'node:path';

export interface FoundFile {
  readonly path: string;
  readonly bytes: number;
}

export interface FileProblem {
  readonly path: string;
  readonly message: string;
}

export interface FoundFiles {
  /** Sorted by path, each once. */
  readonly files: readonly FoundFile[];
  readonly problems: readonly FileProblem[];
  /** Files in folders that cannot be sessions by their names. */
  readonly leftAside: number;
}

/** What session files in a folder end with. A file named itself is always tried. */
const EXTENSIONS = new Set(['.json', '.jsonl', '.ndjson', '.traj']);

/** Folders that hold no sessions, only many files. */
const SKIPPED_FOLDERS = new Set(['node_modules', '.git']);

/** The files that the paths name, folders searched to their bottom. Links to folders are not followed. */
export async function findSessionFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const problems: FileProblem[] = [];
  let leftAside = 0;
  for (const path of paths) {
    try {
      for await (const found of filesAt(path)) {
        if (found === undefined) leftAside += 1;
        else files.set(found, { path: found, bytes: (await stat(found)).size });
      }
    } catch (error) {
      problems.push({ path, message: openingProblem(error) });
    }
  }
  return { files: [...files.values()].sort(byPath), problems, leftAside };
}

/** Undefined stands for a file left aside. */
async function* filesAt(path: string): AsyncGenerator<string | undefined> {
  const info = await stat(path);
  if (info.isDirectory()) yield* filesIn(path);
  else if (info.isFile()) yield path;
  else throw new Error('It is neither a file nor a folder.');
}

async function* filesIn(folder: string): AsyncGenerator<string | undefined> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) yield* filesIn(path);
    } else if (entry.isFile()) yield EXTENSIONS.has(extname(entry.name).toLowerCase()) ? path : undefined;
  }
}

function byPath(left: FoundFile, right: FoundFile): number {
  return left.path < right.path ? -1 : 1;
}

/** What stands in the way of reading a file or folder, in words. */
export function openingProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'may not be read by this user';
    case 'EISDIR':
      return 'is a folder';
    default:
      return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}
