import { posix } from 'node:path';
import { LonghaulError, type Part } from '@longhaul/protocol';
import type { WorkspaceFiles } from '../ports/index.ts';
import type { FindTool } from '../ports/tool-set.ts';
import { type InstructionFile, readInstructionFiles } from './instruction-files.ts';

const NAME = 'AGENTS.md';
/** Keys of a tool's input that name a file or a folder. */
const PATH_KEYS = ['path', 'cwd', 'workdir', 'folder'];
const MAX_FOLDERS = 50;

/** Returns the paths that the calls of a step name. */
export function usedPaths(parts: readonly Part[], findTool: FindTool): string[] {
  return parts.flatMap((part) => {
    const parsed = part.type === 'tool' ? findTool(part.name)?.parse(part.input) : undefined;
    return parsed?.ok === true ? pathsInInput(parsed.input) : [];
  });
}

/** Also those of a patch. */
function pathsInInput(input: unknown): string[] {
  if (typeof input !== 'object' || input === null) return [];
  const values: Record<string, unknown> = { ...input };
  const named = PATH_KEYS.map((key) => values[key]).filter((value) => typeof value === 'string');
  const { patch } = values;
  const patched =
    typeof patch === 'string' ? patch.matchAll(/^\*\*\* (?:Add|Update|Delete) File: (.+)$/gm) : [];
  return [...named, ...Array.from(patched, ([, path = '']) => path.trim())];
}

type NestedSource = Pick<WorkspaceFiles, 'resolve' | 'stat' | 'read'>;

/** Remembers the folders of the workspace in which a session works, for their instruction files. */
export class NestedInstructions {
  readonly #files: NestedSource;
  readonly #folders = new Set<string>();

  constructor(files: NestedSource) {
    this.#files = files;
  }

  get folders(): string[] {
    return [...this.#folders].sort();
  }

  /** Adds folders that an earlier run has stored. */
  add(folders: readonly string[]): void {
    for (const folder of folders) this.#add(folder);
  }

  /** Returns whether one of these paths is in a folder that was not known. */
  async touch(paths: readonly string[]): Promise<boolean> {
    const before = this.#folders.size;
    for (const path of paths) await this.#touchOne(path);
    return this.#folders.size > before;
  }

  /**
   * Reads the instruction files of the folders, those of outer folders first. Those behind links that lead out are left
   * out.
   */
  read(): Promise<InstructionFile[]> {
    const paths = this.folders.map((folder) => `${folder}/${NAME}`);
    return readInstructionFiles(this.#files, paths, { isFound: true });
  }

  async #touchOne(path: string): Promise<void> {
    try {
      const inside = await this.#files.resolve(path);
      if (inside === '' || inside.startsWith('/')) return;
      const isFolder = (await this.#files.stat(inside))?.kind === 'directory';
      const folder = isFolder ? inside : posix.dirname(inside);
      const names = folder === '.' ? [] : folder.split('/');
      for (const index of names.keys()) this.#add(names.slice(0, index + 1).join('/'));
    } catch (error) {
      // The tool itself has reported what is wrong with the path.
      if (!(error instanceof LonghaulError)) throw error;
    }
  }

  #add(folder: string): void {
    if (this.#folders.size < MAX_FOLDERS) this.#folders.add(folder);
  }
}
