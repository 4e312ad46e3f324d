import { createHash } from 'node:crypto';
import { type BigIntStats, readdirSync, readlinkSync } from 'node:fs';
import { hashChildren } from '../format/folder-object.ts';
import { joinPath } from '../format/names.ts';
import {
  type FolderNode,
  isSameNode,
  type LeafNode,
  NO_HASH,
  type Place,
  type TreeNode,
} from '../format/node.ts';
import { byName, rootFolder } from '../format/tree.ts';
import { type FileRules, type IgnoreRules, isNeverRecorded } from '../walk/file-rules.ts';
import { isUnchanged, toFileStat } from '../walk/file-stat.ts';
import { IgnoreReader } from '../walk/ignore-reader.ts';
import { isGone, isUnreadable, type OpenFolder } from '../walk/open-folder.ts';
import { readContent, sha256 } from '../walk/read-content.ts';
import type { CachedFolder } from './stat-cache.ts';

/** Folders that are deeper count as unreadable: each folder on the way keeps a descriptor open. */
const MAX_DEPTH = 400;
/** The pieces of a larger file are stored while it is read, and not kept in memory first. */
const MAX_KEPT_BYTES = 64n * 1_048_576n;

export interface ScannerOptions {
  rules: FileRules;
  ignored: IgnoreRules;
  now: () => number;
  /** Called before each folder is listed and after each piece of a file is read. May throw to end the scan. */
  passed: (step: ScanStep, path: string) => void;
}

export type ScanStep = 'folder-opened' | 'file-read';

/** Receives new contents. */
export interface ContentSink {
  /** Where a content is stored already. */
  find(hash: string): readonly Place[] | undefined;
  add(piece: Buffer): Place;
  remember(hash: string, pieces: readonly Place[]): void;
  /** Makes room. Called after each entry. */
  settle(): Promise<void> | undefined;
}

interface Surroundings {
  rules: IgnoreRules;
  /** The folder would be ignored if it were new, so everything new in it is ignored. */
  isIgnored: boolean;
  depth: number;
  cached: CachedFolder | undefined;
}

/**
 * Compares a workspace with its last tree. A file that was recorded once stays recorded when an ignore file begins to
 * name it, as in git.
 */
export class Scanner {
  readonly #options: ScannerOptions;
  readonly #ignoreFiles: IgnoreReader;
  /** Paths that are ignored or not, by the rules that said so. */
  readonly #verdicts = new Map<string, { rules: IgnoreRules; isIgnored: boolean }>();

  constructor(options: ScannerOptions) {
    this.#options = options;
    this.#ignoreFiles = new IgnoreReader(options.now);
  }

  /** Returns `former` itself if nothing has changed. New folders have no place yet. */
  async scan(
    root: OpenFolder,
    former: FolderNode | undefined,
    { sink, cached }: { sink: ContentSink; cached: CachedFolder | undefined },
  ): Promise<FolderNode> {
    const rules = this.#ignoreFiles.ofRepository(root);
    const surroundings = { rules, isIgnored: false, depth: 0, cached };
    const children = await this.#children(root, '', { former, surroundings, sink });
    if (former !== undefined && children === former.children) return former;
    return rootFolder(children, { place: undefined, deltas: 0 });
  }

  async #children(
    open: OpenFolder,
    path: string,
    {
      former,
      surroundings,
      sink,
    }: { former: FolderNode | undefined; surroundings: Surroundings; sink: ContentSink },
  ): Promise<ReadonlyMap<string, TreeNode>> {
    this.#options.passed('folder-opened', path);
    const names = readdirSync(open.path(), 'latin1');
    const rules = this.#ignoreFiles.inFolder(open, names, { folder: path, above: surroundings.rules });
    const inside = rules === surroundings.rules ? surroundings : { ...surroundings, rules };
    const old = former?.children;
    const found: [string, TreeNode][] = [];
    let isSame = old !== undefined;
    for (const name of names) {
      if (isNeverRecorded(name)) continue;
      const known = old?.get(name);
      const info = open.entry(name);
      if (info === undefined) continue;
      let node: TreeNode | undefined;
      // Most files. Everything else takes longer anyway.
      if (known !== undefined && known.kind !== 'folder' && isUnchanged(known.stat, info)) node = known;
      else node = await this.#entry(open, { name, folder: path, known, surroundings: inside, sink }, info);
      if (node === undefined) continue;
      found.push([name, node]);
      isSame &&= node === known;
      const settling = sink.settle();
      if (settling !== undefined) await settling;
    }
    return isSame && old !== undefined && found.length === old.size ? old : new Map(found.sort(byName));
  }

  /** Undefined if nothing of it is recorded. */
  #entry(
    open: OpenFolder,
    entry: Entry,
    info: BigIntStats,
  ): LeafNode | undefined | Promise<TreeNode | undefined> {
    if (info.isDirectory()) return this.#folder(open, entry, info);
    const { known } = entry;
    if (!info.isFile() && !info.isSymbolicLink()) return undefined;
    const path = joinPath(entry.folder, entry.name);
    if (known === undefined && this.#isIgnored(path, false, entry.surroundings)) return undefined;
    try {
      return info.isFile() ? this.#file(open, entry, { path, info }) : this.#link(open, entry, info);
    } catch (error) {
      // Removed or replaced in the meantime: the next record finds what is there then.
      if (isGone(error)) return undefined;
      if (isUnreadable(error)) return keepIfSame(known, unreadable(info));
      throw error;
    }
  }

  async #folder(open: OpenFolder, entry: Entry, info: BigIntStats): Promise<TreeNode | undefined> {
    const { name, folder, known, surroundings, sink } = entry;
    const path = joinPath(folder, name);
    const isIgnored = this.#isIgnored(path, true, surroundings);
    if (known === undefined && isIgnored) return undefined;
    const depth = surroundings.depth + 1;
    if (depth > MAX_DEPTH) return keepIfSame(known, unreadable(info));
    try {
      using child = open.openChild(name);
      const former = known?.kind === 'folder' ? known : undefined;
      const cached = surroundings.cached?.folders.get(name);
      const below = { rules: surroundings.rules, isIgnored, depth, cached };
      const children = await this.#children(child, path, { former, surroundings: below, sink });
      return folderNode(children, { former, mode: Number(info.mode & 0o777n) });
    } catch (error) {
      if (isGone(error)) return undefined;
      if (isUnreadable(error)) return keepIfSame(known, unreadable(info));
      throw error;
    }
  }

  #isIgnored(path: string, isFolder: boolean, { rules, isIgnored }: Surroundings): boolean {
    if (isIgnored) return true;
    const key = isFolder ? `${path}/` : path;
    const known = this.#verdicts.get(key);
    if (known?.rules === rules) return known.isIgnored;
    const verdict = this.#options.ignored.ignores(path, isFolder) || rules.ignores(path, isFolder);
    // A file that is not ignored is known afterwards, and not asked for again.
    if (verdict || isFolder) this.#verdicts.set(key, { rules, isIgnored: verdict });
    return verdict;
  }

  #file(
    open: OpenFolder,
    entry: Entry,
    { path, info }: { path: string; info: BigIntStats },
  ): LeafNode | undefined {
    const { rules, now } = this.#options;
    const kind = rules.isSecret(path) ? 'secret' : info.size > BigInt(rules.maxBytes) ? 'large' : 'file';
    const cached = fromCache(entry, kind, info);
    if (cached !== undefined) return cached;
    const content = new KeptContent(entry.sink, info.size);
    const read = readContent(open, entry.name, {
      hash: kind === 'secret' ? () => rules.secretHash() : sha256,
      now,
      keep: kind === 'file' ? content.begin : undefined,
      passed: () => this.#options.passed('file-read', path),
    });
    if (read === undefined) return undefined;
    const { hash, mode, stat } = read;
    const size = kind === 'secret' ? 0 : read.size;
    const node: LeafNode = { kind, mode, size, hash, pieces: [], stat };
    if (isSameNode(entry.known, node)) return keepIfSame(entry.known, node);
    return kind === 'file' ? { ...node, pieces: content.store(hash) } : node;
  }

  #link(open: OpenFolder, { name, known, sink }: Entry, info: BigIntStats): LeafNode {
    const readAt = this.#options.now();
    const target = Buffer.from(readlinkSync(open.path(name), 'latin1'), 'latin1');
    const hash = createHash('sha256').update(target).digest('binary');
    const stat = toFileStat(info, readAt);
    const node: LeafNode = { kind: 'link', mode: 0, size: target.length, hash, pieces: [], stat };
    if (isSameNode(known, node)) return keepIfSame(known, node);
    const content = new KeptContent(sink, info.size);
    content.begin()(target);
    return { ...node, pieces: content.store(hash) };
  }
}

interface Entry {
  name: string;
  folder: string;
  /** What the last tree has under this name. */
  known: TreeNode | undefined;
  surroundings: Surroundings;
  sink: ContentSink;
}

/** The content of a file while it is read. */
class KeptContent {
  readonly #sink: ContentSink;
  readonly #isLarge: boolean;
  #pieces: (Buffer | Place)[] = [];

  constructor(sink: ContentSink, size: bigint) {
    this.#sink = sink;
    this.#isLarge = size > MAX_KEPT_BYTES;
  }

  readonly begin = (): ((piece: Buffer) => void) => {
    this.#pieces = [];
    return (piece) => void this.#pieces.push(this.#isLarge ? this.#sink.add(piece) : piece);
  };

  store(hash: string): readonly Place[] {
    const known = this.#sink.find(hash);
    if (known !== undefined) return known;
    const pieces = this.#pieces.map((piece) =>
      'offset' in piece && 'pack' in piece ? piece : this.#sink.add(piece),
    );
    this.#sink.remember(hash, pieces);
    return pieces;
  }
}

/** Uses what an earlier process knew about a file. */
function fromCache(
  { name, known, surroundings }: Entry,
  kind: string,
  info: BigIntStats,
): LeafNode | undefined {
  const cached = surroundings.cached?.files.get(name);
  if (cached === undefined || known === undefined || known.kind === 'folder' || known.kind !== kind)
    return undefined;
  if (known.hash !== cached.hash || known.mode !== Number(info.mode & 0o777n)) return undefined;
  if (!isUnchanged(cached.stat, info)) return undefined;
  known.stat = cached.stat;
  return known;
}

/** Returns the known node, with what the file system says now, if it is the same. */
function keepIfSame(known: TreeNode | undefined, now: LeafNode): LeafNode {
  if (known === undefined || known.kind === 'folder' || !isSameNode(known, now)) return now;
  known.stat = now.stat;
  return known;
}

function folderNode(
  children: ReadonlyMap<string, TreeNode>,
  { former, mode }: { former: FolderNode | undefined; mode: number },
): FolderNode {
  if (former !== undefined && children === former.children)
    return mode === former.mode ? former : { ...former, mode };
  return { kind: 'folder', mode, hash: hashChildren(children), place: undefined, deltas: 0, children };
}

function unreadable(info: BigIntStats): LeafNode {
  return { kind: 'unreadable', mode: Number(info.mode & 0o777n), size: 0, hash: NO_HASH, pieces: [] };
}
