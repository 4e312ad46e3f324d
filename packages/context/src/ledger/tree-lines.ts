import { fileLabel } from './file-label.ts';
import { splitPath } from './file-paths.ts';
import { isChanged, isResult } from './is-changed.ts';
import type { FileFact } from './ledger-facts.ts';
import type { RankedName } from './rank-names.ts';
import type { TreeDraft, TreeFolder } from './tree-draft.ts';
import { linesOfUnnamed } from './unnamed-files.ts';
import { wrap } from './wrap.ts';

export interface FileTree {
  /** Folders, the changed files in them, and few names of each. */
  changed: string[];
  /** Folders, their other files, and the names that came from each file. */
  files: string[];
  /** Names that came from no file. */
  others: string[];
}

export interface TreeFacts {
  files: ReadonlyMap<string, FileFact>;
  names: readonly RankedName[];
}

/** A changed file with more names has this many on its line, and the others in the index. */
const MAX_NAMES_OF_CHANGED = 10;
const NAMES_OF_CHANGED = 6;

export function treeLines(draft: TreeDraft, { files, names }: TreeFacts): FileTree {
  const folders = [...draft.folders].filter(([, folder]) => !isStray(folder));
  const defined = new Set(names.filter(({ seen }) => seen.defined).map(({ name }) => name));
  const split = folders.map(([path, folder]) => splitFolder(path, folder, { files, defined, draft }));
  const withLines = (of: 'changed' | 'files') =>
    split.flatMap((folder) => (folder[of].length === 0 ? [] : [folder.path, ...folder[of]]));
  const headings = folders.map(([path]) => path).join('\n');
  // With a folder of their own, they would bury the files: most are not paths, such as `read/write`.
  const strayPaths = [...draft.folders]
    .filter(([, folder]) => isStray(folder))
    .flatMap(([folder, { bare }]) => bare.map((name) => folder + name))
    .filter((path) => !headings.includes(path));
  return {
    changed: withLines('changed'),
    files: withLines('files'),
    others: wrap([...strayPaths, ...draft.others.names]),
  };
}

interface FolderLines {
  path: string;
  changed: string[];
  files: string[];
}

interface FolderFacts {
  files: TreeFacts['files'];
  defined: ReadonlySet<string>;
  draft: TreeDraft;
}

function splitFolder(path: string, { files: inFolder, bare }: TreeFolder, facts: FolderFacts): FolderLines {
  const lines: FolderLines = { path, changed: [], files: [] };
  // In the order of the files, newest first; those that are no results come last.
  let unnamed: FileFact[] = [];
  const others: FileFact[] = [];
  const addUnnamed = () => {
    lines.changed.push(...indented(linesOfUnnamed(unnamed)));
    unnamed = [];
  };
  for (const [key, { names }] of inFolder) {
    const file = facts.files.get(key);
    if (file === undefined) continue;
    if (isChanged(file)) {
      const { first, rest } = isResult(file) ? mainNames(names, facts.defined) : { first: [], rest: names };
      if (first.length === 0) (isResult(file) ? unnamed : others).push(file);
      else {
        addUnnamed();
        lines.changed.push(lineOf(fileLabel(file), first));
      }
      if (rest.length > 0) lines.files.push(lineOf(splitPath(file.path).name, rest));
    }
    // A folder that was read, and that is a heading.
    else if (names.length > 0 || !facts.draft.folders.has(`${file.path}/`))
      lines.files.push(lineOf(fileLabel(file), names));
  }
  addUnnamed();
  lines.changed.push(...indented(linesOfUnnamed(others)));
  lines.files.push(...indented(wrap(bare)));
  return lines;
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => `  ${line}`);
}

/** Names that a file defines say most about it. */
function mainNames(
  names: readonly string[],
  defined: ReadonlySet<string>,
): { first: readonly string[]; rest: readonly string[] } {
  if (names.length <= MAX_NAMES_OF_CHANGED) return { first: names, rest: [] };
  const first = [
    ...names.filter((name) => defined.has(name)),
    ...names.filter((name) => !defined.has(name)),
  ].slice(0, NAMES_OF_CHANGED);
  return { first, rest: names.filter((name) => !first.includes(name)) };
}

function lineOf(label: string, names: readonly string[]): string {
  return names.length === 0 ? `  ${label}` : `  ${label}: ${names.join(' ')}`;
}

/** Whether nothing is known of a folder but one or two names in it. */
function isStray({ files, bare }: TreeFolder): boolean {
  return files.size === 0 && bare.length <= 2;
}
