import { open, opendir, stat } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { textImporterOf } from '../importers/detect-format.ts';
import { isOneOfSeveral, sessionPaths, sessionSource } from '../importers/session-source.ts';

export interface FoundFile {
  /** The file, or `FILE#3` for the third session of a file with several. */
  readonly path: string;
  readonly bytes: number;
}

export interface FileProblem {
  readonly path: string;
  readonly message: string;
}

export interface FoundFiles {
  /** Sorted by path, without duplicates. */
  readonly files: readonly FoundFile[];
  readonly problems: readonly FileProblem[];
  /** Number of files in folders that were ignored because of their extension. */
  readonly leftAside: number;
}

/** Extensions of session files. They apply to files found in folders; a file passed by its own path is always read. */
const EXTENSIONS = new Set(['.json', '.jsonl', '.ndjson', '.traj']);
/** Most Markdown files are no sessions, so their start is read. */
const MARKDOWN = '.md';
const MARKDOWN_HEAD_BYTES = 65_536;

/** Folders with many files and no sessions. */
const SKIPPED_FOLDERS = new Set(['node_modules', '.git']);

/** Returns the session files at the paths. Folders are searched recursively; links to folders are not followed. */
export async function findSessionFiles(paths: readonly string[]): Promise<FoundFiles> {
  const files = new Map<string, FoundFile>();
  const problems: FileProblem[] = [];
  let leftAside = 0;
  for (const path of paths) {
    try {
      for await (const found of filesAt(path)) {
        if (found === undefined) leftAside += 1;
        else for (const session of await sessionsIn(found)) files.set(session.path, session);
      }
    } catch (error) {
      problems.push({ path, message: openingProblem(error) });
    }
  }
  return { files: [...files.values()].sort(byPath), problems, leftAside };
}

async function sessionsIn(file: string): Promise<FoundFile[]> {
  const source = await sessionSource(file);
  const paths = isOneOfSeveral(source) ? [file] : await sessionPaths(file);
  const bytes = (await stat(source.file)).size / paths.length;
  return paths.map((path) => ({ path, bytes }));
}

/** Yields undefined for a file that is ignored. */
async function* filesAt(path: string): AsyncGenerator<string | undefined> {
  const info = await stat((await sessionSource(path)).file);
  if (info.isDirectory()) yield* filesIn(path);
  else if (info.isFile()) yield path;
  else throw new Error('It is neither a file nor a folder.');
}

async function* filesIn(folder: string): AsyncGenerator<string | undefined> {
  for await (const entry of await opendir(folder)) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED_FOLDERS.has(entry.name)) yield* filesIn(path);
    } else if (entry.isFile()) yield (await isSessionName(path)) ? path : undefined;
  }
}

async function isSessionName(path: string): Promise<boolean> {
  const extension = extname(path).toLowerCase();
  if (extension === '.db') return /^opencode[^/\\]*$/.test(basename(path));
  return EXTENSIONS.has(extension) || (extension === MARKDOWN && (await isMarkdownSession(path)));
}

async function isMarkdownSession(path: string): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MARKDOWN_HEAD_BYTES), 0, MARKDOWN_HEAD_BYTES, 0);
  return textImporterOf(buffer.toString('utf8', 0, bytesRead)) !== undefined;
}

/** Sorts the sessions of one file by their number. */
export function byPath(left: { readonly path: string }, right: { readonly path: string }): number {
  return left.path.localeCompare(right.path, 'en', { numeric: true }) || (left.path < right.path ? -1 : 1);
}

/** Describes why a file or folder cannot be read. */
export function openingProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  switch (code) {
    case 'ENOENT':
      return 'does not exist';
    case 'EACCES':
    case 'EPERM':
      return 'cannot be read: permission denied';
    case 'EISDIR':
      return 'is a folder';
    default:
      return `cannot be read (${error instanceof Error ? error.message : String(error)})`;
  }
}
