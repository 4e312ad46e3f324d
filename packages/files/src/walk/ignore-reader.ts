import { joinPath } from '../format/names.ts';
import type { FileStat } from '../format/node.ts';
import { IgnoreRules } from './file-rules.ts';
import { isUnchanged } from './file-stat.ts';
import { isGone, isUnreadable, type OpenFolder } from './open-folder.ts';
import { readContent, sha256 } from './read-content.ts';

const IGNORE_FILE = '.gitignore';
/** A larger ignore file has no effect. */
const MAX_BYTES = 128n * 1_024n;

interface KnownRules {
  above: IgnoreRules;
  stat: FileStat;
  rules: IgnoreRules;
}

/** Finds the patterns of a workspace's ignore files. Reads regular files only, and reads a file again if it changes. */
export class IgnoreReader {
  readonly #known = new Map<string, KnownRules>();
  readonly #none = new IgnoreRules([]);
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Returns the rules that hold above the workspace: those of its repository alone. */
  ofRepository(root: OpenFolder): IgnoreRules {
    try {
      using repository = root.openChild('.git');
      using info = repository.openChild('info');
      return this.#withFile(info, { key: '.git', folder: '', name: 'exclude', above: this.#none });
    } catch (error) {
      if (isGone(error) || isUnreadable(error)) return this.#none;
      throw error;
    }
  }

  /** Returns the rules that hold in a folder with these entries. */
  inFolder(
    open: OpenFolder,
    names: readonly string[],
    { folder, above }: { folder: string; above: IgnoreRules },
  ): IgnoreRules {
    if (!names.includes(IGNORE_FILE)) return above;
    const key = joinPath(folder, IGNORE_FILE);
    return this.#withFile(open, { key, folder, name: IGNORE_FILE, above });
  }

  #withFile(
    open: OpenFolder,
    { key, folder, name, above }: { key: string; folder: string; name: string; above: IgnoreRules },
  ): IgnoreRules {
    const info = open.entry(name);
    if (!info?.isFile() || info.size > MAX_BYTES) return above;
    const known = this.#known.get(key);
    if (known?.above === above && isUnchanged(known.stat, info)) return known.rules;
    const read = this.#read(open, name);
    if (read === undefined) return above;
    const rules = above.withFile(folder, read.content);
    this.#known.set(key, { above, stat: read.stat, rules });
    return rules;
  }

  #read(open: OpenFolder, name: string): { content: Buffer; stat: FileStat } | undefined {
    let pieces: Buffer[] = [];
    const keep = () => {
      pieces = [];
      return (piece: Buffer) => void pieces.push(piece);
    };
    try {
      const read = readContent(open, name, { hash: sha256, now: this.#now, keep, passed: () => undefined });
      return read === undefined ? undefined : { content: Buffer.concat(pieces), stat: read.stat };
    } catch (error) {
      if (isGone(error) || isUnreadable(error)) return undefined;
      throw error;
    }
  }
}
