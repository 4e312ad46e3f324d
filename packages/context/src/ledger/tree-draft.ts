import { fileLabel } from './file-label.ts';
import { fileKey, splitPath } from './file-paths.ts';
import type { FileFact } from './ledger-facts.ts';
import { NameLine } from './name-line.ts';
import type { SameFiles } from './same-files.ts';

export interface TreeFolder {
  /** Files with a line of their own, and the names on that line. */
  files: Map<string, NameLine>;
  /** Paths that are only mentioned. */
  bare: string[];
}

export interface TreeDraftOptions {
  files: ReadonlyMap<string, FileFact>;
  /** See `sameFiles`. */
  keyOf: SameFiles['keyOf'];
  maxChars: number;
}

/** Collects files by folder with their names, as long as they fit. */
export class TreeDraft {
  readonly folders = new Map<string, TreeFolder>();
  /** Names that came from no file. */
  readonly others = new NameLine();
  readonly #files: ReadonlyMap<string, FileFact>;
  readonly #keyOf: SameFiles['keyOf'];
  readonly #maxChars: number;
  readonly #keysByName: ReadonlyMap<string, string[]>;
  usedChars = 0;

  constructor({ files, keyOf, maxChars }: TreeDraftOptions) {
    this.#files = files;
    this.#keyOf = keyOf;
    this.#maxChars = maxChars;
    this.#keysByName = keysByName(files);
  }

  addFile(key: string): boolean {
    const file = this.#files.get(key);
    if (file === undefined) return false;
    const { folder } = splitPath(file.path);
    if (this.folders.get(folder)?.files.has(key) === true) return true;
    if (!this.#take(this.#folderChars(folder) + fileLabel(file).length + 5)) return false;
    this.#folder(folder).files.set(key, new NameLine());
    return true;
  }

  addName(name: string, file: string | undefined): void {
    if (name.includes('/') && !name.startsWith('\\')) this.#addPath(name);
    else if (file !== undefined) this.#addToFile(withoutEscape(name), file);
    else this.#addTo(this.others, withoutEscape(name));
  }

  #addPath(path: string): void {
    if (this.usedChars + path.length - path.lastIndexOf('/') > this.#maxChars) return;
    const { folder: ownFolder, name } = splitPath(path);
    const folder = this.#headingOf(ownFolder);
    const known = this.#knownFile(this.#keyOf(fileKey(path)), name);
    if (known !== undefined) {
      this.addFile(known);
      return;
    }
    if (this.folders.get(folder)?.bare.includes(name) === true) return;
    if (this.#take(this.#folderChars(folder) + name.length + 1)) this.#folder(folder).bare.push(name);
  }

  /** A name has no `/` at its beginning, so its folder can be the end of a heading. */
  #headingOf(folder: string): string {
    if (this.folders.has(folder)) return folder;
    return [...this.folders.keys()].find((heading) => heading.endsWith(`/${folder}`)) ?? folder;
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
      this.addFile(key);
      return;
    }
    if (this.usedChars + name.length + 1 > this.#maxChars || !this.addFile(key)) return;
    const line = this.folders.get(splitPath(file.path).folder)?.files.get(key);
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

  #folder(folder: string): TreeFolder {
    const known = this.folders.get(folder) ?? { files: new Map<string, NameLine>(), bare: [] };
    this.folders.set(folder, known);
    return known;
  }

  #folderChars(folder: string): number {
    return this.folders.has(folder) ? 0 : folder.length + 1;
  }
}

/** See `exactNamesIn`: a person reads the name alone. */
function withoutEscape(name: string): string {
  return name.startsWith('\\') ? name.slice(2) : name;
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
