import { isAbsolutePath } from './file-paths.ts';
import type { FileFact } from './ledger-facts.ts';

export interface SameFiles {
  /** The files, each once. */
  files: ReadonlyMap<string, FileFact>;
  /** Returns the key of a file in `files`, for any of its keys. */
  keyOf: (key: string) => string;
}

/**
 * Joins files that calls named from the root of a workspace and by an absolute path, such as `src/a.ts` and
 * `/home/me/shop/src/a.ts`. The absolute path stays, since it contains the other one.
 */
export function sameFiles(files: ReadonlyMap<string, FileFact>): SameFiles {
  const whole = wholePaths(files);
  if (whole.size === 0) return { files, keyOf: (key) => key };
  const joined = new Map<string, FileFact>();
  for (const file of files.values()) {
    const key = whole.get(file.key) ?? file.key;
    const longest = files.get(key) ?? file;
    const other = joined.get(key);
    joined.delete(key);
    joined.set(key, {
      ...longest,
      // The later one of both, as the map is in the order of time.
      handle: file.actions.size === 0 ? (other?.handle ?? file.handle) : file.handle,
      lastSequence: Math.max(file.lastSequence, other?.lastSequence ?? 0),
      ...changeOf(file, other),
      actions: new Set([...(other?.actions ?? []), ...file.actions]),
    });
  }
  return { files: joined, keyOf: (key) => whole.get(key) ?? key };
}

/** The later change of both. */
function changeOf(file: FileFact, other: FileFact | undefined): Pick<FileFact, 'changed'> {
  const changes = [file.changed, other?.changed].filter((change) => change !== undefined);
  const changed = changes.toSorted((left, right) => right.sequence - left.sequence)[0];
  return changed === undefined ? {} : { changed };
}

interface Pair {
  end: string;
  key: string;
  root: string;
}

/** For each key that is the end of an absolute path: this path. The root with the most such keys has precedence. */
function wholePaths(files: ReadonlyMap<string, FileFact>): Map<string, string> {
  const pairs = pairsOf(files);
  const counts = new Map<string, number>();
  for (const { root } of pairs) counts.set(root, (counts.get(root) ?? 0) + 1);
  const countOf = ({ root }: Pair) => counts.get(root) ?? 0;
  const whole = new Map<string, string>();
  for (const pair of pairs.toSorted((left, right) => countOf(right) - countOf(left))) {
    // One name such as `package.json` does not show that a folder is the root.
    const isRoot = countOf(pair) > 1 || pair.end.includes('/');
    if (isRoot && !whole.has(pair.end)) whole.set(pair.end, pair.key);
  }
  return whole;
}

function pairsOf(files: ReadonlyMap<string, FileFact>): Pair[] {
  const pairs: Pair[] = [];
  for (const { key, path } of files.values()) {
    if (!isAbsolutePath(path)) continue;
    for (let slash = key.indexOf('/'); slash !== -1; slash = key.indexOf('/', slash + 1)) {
      const end = key.slice(slash + 1);
      const other = files.get(end);
      if (other !== undefined && !isAbsolutePath(other.path))
        pairs.push({ end, key, root: key.slice(0, slash) });
    }
  }
  return pairs;
}
