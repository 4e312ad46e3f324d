import { isChanged } from './changed-section.ts';
import { fileKey, splitPath } from './file-paths.ts';
import type { FileFact } from './ledger-fold.ts';
import { NameLine } from './name-line.ts';
import type { RankedName } from './rank-names.ts';
import type { SameFiles } from './same-files.ts';

export interface TreeOptions {
  files: ReadonlyMap<string, FileFact>;
  /** See `sameFiles`. */
  keyOf: SameFiles['keyOf'];
  /** In order of worth, highest first; see `rankNames`. */
  names: readonly RankedName[];
  /** Names that other sections show. They are only listed here beside the file that they came from. */
  shown?: ReadonlySet<string>;
  /** Keys of files that another section lists. They only have a line here if names came from them. */
  listed?: ReadonlySet<string>;
  maxChars: number;
}

export interface FileTree {
  /** Folders, their files, and the names that came from each file. */
  files: string[];
  /** Names that came from no file. */
  others: string[];
}

/** Share of the room for lines of files, before names are added. Names make a file's line useful. */
const FILES_SHARE = 0.4;
const LINE_CHARS = 110;
/** The fewest characters of a name with the blank before it. */
export const MIN_NAME_CHARS = 7;

/**
 * Builds a tree of files by folder with the names that came from them, and a list of the names that came from no file.
 * Includes as many as fit, in order of worth. A name is on the line of its file.
 */
export function buildFileTree(options: TreeOptions): FileTree {
  const draft = new TreeDraft(options);
  const folders = foldersOf(options.files);
  const acted = [...options.files.values()]
    .filter(({ key, actions }) => actions.size > 0 && !folders.has(key) && options.listed?.has(key) !== true)
    .reverse();
  for (const file of acted.toSorted((left, right) => rankOf(right) - rankOf(left))) {
    if (draft.usedChars < options.maxChars * FILES_SHARE) draft.addFile(file.key);
  }
  for (const { name, seen } of options.names) {
    if (draft.usedChars > options.maxChars - MIN_NAME_CHARS) break;
    const file = seen.file === undefined ? undefined : options.keyOf(seen.file);
    const isPlaced = file !== undefined && options.files.has(file);
    if (isPlaced || options.shown?.has(name) !== true) draft.addName(name, isPlaced ? file : undefined);
  }
  return draft.render();
}

/** The folders of all files: a folder that was read is no file. */
function foldersOf(files: ReadonlyMap<string, FileFact>): Set<string> {
  const folders = new Set<string>();
  for (const key of files.keys()) {
    for (let slash = key.lastIndexOf('/'); slash > 0; slash = key.lastIndexOf('/', slash - 1)) {
      if (folders.has(key.slice(0, slash))) break;
      folders.add(key.slice(0, slash));
    }
  }
  return folders;
}

/** Changed files come before files that were only read. The sort is stable, so the newest come first in each group. */
function rankOf(file: FileFact): number {
  return isChanged(file) ? 1 : 0;
}

interface Folder {
  /** Files with a line of their own, and the names on that line. */
  files: Map<string, NameLine>;
  /** Paths that are only mentioned. */
  bare: string[];
}

class TreeDraft {
  readonly #files: ReadonlyMap<string, FileFact>;
  readonly #keyOf: SameFiles['keyOf'];
  readonly #maxChars: number;
  readonly #listed: ReadonlySet<string>;
  readonly #folders = new Map<string, Folder>();
  readonly #others = new NameLine();
  readonly #keysByName: ReadonlyMap<string, string[]>;
  usedChars = 0;

  constructor({ files, keyOf, maxChars, listed = new Set() }: TreeOptions) {
    this.#listed = listed;
    this.#files = files;
    this.#keyOf = keyOf;
    this.#maxChars = maxChars;
    this.#keysByName = keysByName(files);
  }

  addFile(key: string): boolean {
    const file = this.#files.get(key);
    if (file === undefined) return false;
    const { folder, name } = splitPath(file.path);
    if (this.#folders.get(folder)?.files.has(key) === true) return true;
    if (!this.#take(folderChars(this.#folders, folder) + fileLabel(name, file).length + 5)) return false;
    this.#folder(folder).files.set(key, new NameLine());
    return true;
  }

  addName(name: string, file: string | undefined): void {
    if (name.includes('/') && !name.startsWith('\\')) this.#addPath(name);
    else if (file !== undefined) this.#addToFile(name, file);
    else this.#addTo(this.#others, name);
  }

  #mention(key: string): void {
    if (!this.#listed.has(key)) this.addFile(key);
  }

  #addPath(path: string): void {
    if (this.usedChars + path.length - path.lastIndexOf('/') > this.#maxChars) return;
    const { folder: ownFolder, name } = splitPath(path);
    const folder = this.#headingOf(ownFolder);
    const known = this.#knownFile(this.#keyOf(fileKey(path)), name);
    if (known !== undefined) {
      this.#mention(known);
      return;
    }
    if (this.#folders.get(folder)?.bare.includes(name) === true) return;
    if (this.#take(folderChars(this.#folders, folder) + name.length + 1))
      this.#folder(folder).bare.push(name);
  }

  /** A name has no `/` at its beginning, so its folder can be the end of a heading. */
  #headingOf(folder: string): string {
    if (this.#folders.has(folder)) return folder;
    return [...this.#folders.keys()].find((heading) => heading.endsWith(`/${folder}`)) ?? folder;
  }

  /** Returns the file that a path means. A name has no dot or `/` at its beginning, so its path can be incomplete. */
  #knownFile(key: string, name: string): string | undefined {
    if (this.#files.has(key)) return key;
    return this.#keysByName
      .get(name)
      ?.find((known) => known.endsWith(`/${key}`) || known.endsWith(`/.${key}`));
  }

  #addToFile(name: string, key: string): void {
    const file = this.#files.get(key);
    if (file === undefined || file.path.endsWith(`/${name}`) || file.path === name) {
      this.#mention(key);
      return;
    }
    if (this.usedChars + name.length + 1 > this.#maxChars || !this.addFile(key)) return;
    const line = this.#folders.get(splitPath(file.path).folder)?.files.get(key);
    if (line !== undefined) this.#addTo(line, name);
  }

  /**
   * Adds a name to a line. A name that is contained in a longer one is skipped; a longer name replaces the names that
   * it contains.
   */
  #addTo(line: NameLine, name: string): void {
    const shorter = line.within(name);
    const freed = shorter.reduce((sum, known) => sum + known.length + 1, 0);
    const chars = name.length + 1 - freed;
    // Most names do not fit. They are not searched.
    if (this.usedChars + chars > this.#maxChars || line.has(name)) return;
    this.usedChars += chars;
    line.add(name, shorter);
  }

  #take(chars: number): boolean {
    if (this.usedChars + chars > this.#maxChars) return false;
    this.usedChars += chars;
    return true;
  }

  #folder(folder: string): Folder {
    const known = this.#folders.get(folder) ?? { files: new Map<string, NameLine>(), bare: [] };
    this.#folders.set(folder, known);
    return known;
  }

  render(): FileTree {
    const folders = [...this.#folders]
      .filter(([, folder]) => !isStray(folder))
      .toSorted(([, left], [, right]) => this.#changesIn(right) - this.#changesIn(left));
    const files = folders.flatMap(([folder, { files: inFolder, bare }]) => {
      const lines = [
        ...[...inFolder].flatMap(([key, line]) => this.#fileLine(key, line.names)),
        ...wrap(bare).map((line) => `  ${line}`),
      ];
      return lines.length === 0 ? [] : [folder, ...lines];
    });
    // With a folder of their own, they would bury the files: most are not paths, such as `read/write`.
    const stray = [...this.#folders].filter(([, folder]) => isStray(folder));
    const headings = folders.map(([folder]) => folder);
    const paths = stray
      .flatMap(([folder, { bare }]) => bare.map((name) => folder + name))
      .filter((path) => !headings.some((heading) => heading.includes(path)));
    return { files, others: wrap([...paths, ...this.#others.names]) };
  }

  /** Folders with changed files come first. */
  #changesIn({ files }: Folder): number {
    return [...files.keys()].some((key) => this.#isChanged(key)) ? 1 : 0;
  }

  #isChanged(key: string): boolean {
    const file = this.#files.get(key);
    return file !== undefined && isChanged(file);
  }

  #fileLine(key: string, names: readonly string[]): string[] {
    const file = this.#files.get(key);
    // A folder that was read, and that is a heading.
    if (names.length === 0 && this.#folders.has(`${file?.path}/`)) return [];
    const label = file === undefined ? key : fileLabel(splitPath(file.path).name, file);
    return [names.length === 0 ? `  ${label}` : `  ${label}: ${names.join(' ')}`];
  }
}

/** Paths of many sessions have thousands of files of one name, such as `index.ts`. Few of them are compared. */
const MAX_KEYS_OF_NAME = 50;

function keysByName(files: ReadonlyMap<string, FileFact>): ReadonlyMap<string, string[]> {
  const keys = new Map<string, string[]>();
  for (const key of files.keys()) {
    const { name } = splitPath(key);
    const known = keys.get(name);
    if (known === undefined) keys.set(name, [key]);
    else if (known.length < MAX_KEYS_OF_NAME) known.push(key);
  }
  return keys;
}

/** Whether nothing is known of a folder but one or two names in it. */
function isStray({ files, bare }: Folder): boolean {
  return files.size === 0 && bare.length <= 2;
}

function folderChars(folders: ReadonlyMap<string, Folder>, folder: string): number {
  return folders.has(folder) ? 0 : folder.length + 1;
}

/** A section of their own has the changes of files. */
function fileLabel(name: string, file: FileFact): string {
  const { actions, handle } = file;
  return actions.has('read') && !isChanged(file) ? `${name} (read; ${handle})` : name;
}

function wrap(names: readonly string[]): string[] {
  const lines: string[] = [];
  let line = '';
  for (const name of names) {
    if (line !== '' && line.length + name.length >= LINE_CHARS) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? name : `${line} ${name}`;
  }
  return line === '' ? lines : [...lines, line];
}
