import { byChange, isChanged, isResult } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';
import type { RankedName } from './rank-names.ts';
import type { SameFiles } from './same-files.ts';
import { TreeDraft } from './tree-draft.ts';
import { type FileTree, treeLines } from './tree-lines.ts';

export interface TreeOptions {
  files: ReadonlyMap<string, FileFact>;
  /** See `sameFiles`. */
  keyOf: SameFiles['keyOf'];
  /** In order of worth, highest first; see `rankNames`. */
  names: readonly RankedName[];
  /** Names that other sections show. They are only listed here beside the file that they came from. */
  shown?: ReadonlySet<string>;
  maxChars: number;
}

/** Share of the room for lines of files, before names are added. Names make a file's line useful. */
const FILES_SHARE = 0.4;
/** The fewest characters of a name with the blank before it. */
export const MIN_NAME_CHARS = 7;

/**
 * Builds a tree of files by folder with the names that came from them, and a list of the names that came from no file.
 * Includes as many as fit: changed files, files that were read, then names in order of worth. A name is on the line of
 * its file.
 */
export function buildFileTree(options: TreeOptions): FileTree {
  const { files, keyOf, names, shown, maxChars } = options;
  const draft = new TreeDraft(options);
  for (const { key } of filesActedOn(files)) if (draft.usedChars < maxChars * FILES_SHARE) draft.addFile(key);
  for (const { name, seen } of names) {
    if (draft.usedChars > maxChars - MIN_NAME_CHARS) break;
    const file = seen.file === undefined ? undefined : keyOf(seen.file);
    const isPlaced = file !== undefined && files.has(file);
    if (isPlaced || shown?.has(name) !== true) draft.addName(name, isPlaced ? file : undefined);
  }
  return treeLines(draft, { files, names });
}

/** Results come first, then other changed files, then those that were only read; the newest first in each group. */
function filesActedOn(files: ReadonlyMap<string, FileFact>): FileFact[] {
  const folders = foldersOf(files);
  const acted = [...files.values()]
    .filter(({ key, actions }) => actions.size > 0 && !folders.has(key))
    .reverse();
  const changed = acted.filter(isChanged).sort(byChange);
  return [
    ...changed.filter(isResult),
    ...changed.filter((file) => !isResult(file)),
    ...acted.filter((file) => !isChanged(file)),
  ];
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
