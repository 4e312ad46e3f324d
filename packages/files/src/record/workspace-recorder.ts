import { realpathSync } from 'node:fs';
import type { RecordedChange, Restored } from '@longhaul/core';
import { LonghaulError, treeReference } from '@longhaul/protocol';
import { ignorePatterns } from '@longhaul/tools/ignore';
import { changedFiles } from '../diff/file-changes.ts';
import type { FilesSettings } from '../files-settings.ts';
import { toBytes } from '../format/names.ts';
import type { FolderNode, Place } from '../format/node.ts';
import { type PackBlobs, PackSource } from '../format/pack-source.ts';
import { TreeReader } from '../format/tree.ts';
import { restoreTree } from '../restore/restore-tree.ts';
import { FileRules, IgnoreRules } from '../walk/file-rules.ts';
import { OpenFolder } from '../walk/open-folder.ts';
import { PackQueue, type PutPack } from './pack-queue.ts';
import { type ContentSink, Scanner } from './scanner.ts';
import { type CachedFolder, StatCache } from './stat-cache.ts';
import { storeTree } from './store-folders.ts';

export interface WorkspaceRecorderOptions {
  workspace: string;
  blobs: PackBlobs & { putPack: PutPack };
  /** For the stats of files. May be lost or damaged at any time. */
  cacheFolder: string;
  /** For the hashes of secrets. */
  key: Uint8Array;
  settings: FilesSettings;
  now: () => number;
  /** Called between the effects of a recording and of restoring. May throw to end the work. */
  passed: (step: FilesStep, path: string) => void;
}

export type FilesStep =
  /** A folder of the workspace is open, and its entries are not read yet. */
  | 'folder-opened'
  /** A piece of a file is read and nothing is stored. */
  | 'file-read'
  /** A pack is stored and nothing names it. */
  | 'pack-stored'
  /** A tree is stored; the caller does not know it yet. */
  | 'tree-stored'
  /** A file of the workspace is about to be changed by restoring. */
  | 'entry-checked'
  /** A file of the workspace was restored or deleted. */
  | 'entry-restored';

/** The cache file is written at most this often while a workspace changes. */
const CACHE_EVERY_MS = 60_000;

/** Records and restores one workspace, in the thread that calls it. Call its methods one after another. */
export class WorkspaceRecorder {
  readonly #options: WorkspaceRecorderOptions;
  readonly #workspace: string;
  readonly #identity: { dev: bigint; ino: bigint };
  readonly #rules: FileRules;
  readonly #scanner: Scanner;
  readonly #reader: TreeReader;
  readonly #cache: StatCache;
  #cached: CachedFolder | undefined;
  #cacheWrittenAt = Number.NEGATIVE_INFINITY;
  #isCacheStale = true;
  #last: { tree: string; root: FolderNode } | undefined;
  /** Where the contents of the last tree are. Undefined until the first new content. */
  #contents: Map<string, readonly Place[]> | undefined;

  private constructor(options: WorkspaceRecorderOptions) {
    this.#options = options;
    this.#workspace = realPathOf(options.workspace);
    using root = OpenFolder.openRoot(this.#workspace);
    const { dev, ino } = root.info();
    this.#identity = { dev, ino };
    this.#rules = new FileRules(options.settings, options.key);
    const { now, passed, settings } = options;
    const ignored = new IgnoreRules(ignorePatterns('', settings.ignore.map(toBytes)));
    this.#scanner = new Scanner({ rules: this.#rules, ignored, now, passed });
    this.#reader = new TreeReader(new PackSource(options.blobs));
    this.#cache = new StatCache(options.cacheFolder, {
      workspace: `${this.#workspace}\n${dev}:${ino}`,
      digest: this.#rules.digest,
    });
  }

  /**
   * Opens a workspace that was recorded last as `tree`. A tree that cannot be read counts as none.
   *
   * @throws {LonghaulError} `not_found` if there is no workspace.
   */
  static async open(options: WorkspaceRecorderOptions, tree: string | undefined): Promise<WorkspaceRecorder> {
    const recorder = new WorkspaceRecorder(options);
    await recorder.#load(tree);
    return recorder;
  }

  /** As `FileRecorder.record`. */
  async record(): Promise<RecordedChange | undefined> {
    using folder = this.#openRoot();
    const former = this.#last;
    const packs = new PackQueue((pack) => this.#put(pack));
    try {
      const sink = this.#sinkTo(packs);
      const root = await this.#scanner.scan(folder, former?.root, { sink, cached: this.#cached });
      this.#cached = undefined;
      if (former !== undefined && root === former.root) return undefined;
      const tree = treeReference(await storeTree(root, former?.root, packs));
      const changes =
        former === undefined ? { files: [] } : await changedFiles(this.#reader, former.root, root);
      this.#last = { tree, root };
      this.#isCacheStale = true;
      this.#writeCacheIfDue();
      this.#options.passed('tree-stored', '');
      return { ...(former !== undefined && { before: former.tree }), after: tree, ...changes };
    } catch (error) {
      // Some of the new contents may not be stored.
      this.#contents = undefined;
      throw error;
    }
  }

  /** As `FileRecorder.restore`. */
  async restore(tree: string, except: ReadonlySet<string> = new Set()): Promise<Restored> {
    using folder = this.#openRoot();
    const target = await this.#reader.open(tree);
    const { passed } = this.#options;
    const rules = this.#rules;
    const from = this.#last?.root;
    const restored = await restoreTree({
      folder,
      reader: this.#reader,
      from,
      to: target,
      rules,
      passed,
      except,
    });
    await loadAll(this.#reader, target);
    if (from !== undefined) copyStats(from, target);
    this.#last = { tree, root: target };
    this.#contents = undefined;
    this.#isCacheStale = true;
    return restored;
  }

  /** Stores what is known of the files for the next process. */
  close(): void {
    if (this.#isCacheStale && this.#last !== undefined) this.#writeCache(this.#last.root);
  }

  async #load(tree: string | undefined): Promise<void> {
    if (tree === undefined) return;
    try {
      const root = await this.#reader.open(tree);
      await loadAll(this.#reader, root);
      this.#last = { tree, root };
      this.#cached = this.#cache.read();
    } catch (error) {
      if (!(error instanceof LonghaulError) || !UNREADABLE_TREE.has(error.code)) throw error;
    }
  }

  #openRoot(): OpenFolder {
    const folder = OpenFolder.openRoot(this.#workspace);
    const { dev, ino } = folder.info();
    if (dev === this.#identity.dev && ino === this.#identity.ino) return folder;
    folder[Symbol.dispose]();
    throw new LonghaulError(
      'not_found',
      `The workspace ${this.#workspace} is no longer the folder with which this run began. Put it back, and resume the session.`,
    );
  }

  #sinkTo(packs: PackQueue): ContentSink {
    return {
      find: (hash) => this.#knownContents().get(hash),
      add: (piece) => packs.add(piece),
      remember: (hash, pieces) => void this.#knownContents().set(hash, pieces),
      settle: () => (packs.isFull ? packs.flush().then(() => undefined) : undefined),
    };
  }

  #knownContents(): Map<string, readonly Place[]> {
    this.#contents ??= contentsOf(this.#last?.root);
    return this.#contents;
  }

  async #put(pack: { id: string; bytes: Buffer }): Promise<void> {
    await this.#options.blobs.putPack(pack);
    this.#options.passed('pack-stored', '');
  }

  #writeCacheIfDue(): void {
    const now = this.#options.now();
    if (this.#last !== undefined && now - this.#cacheWrittenAt > CACHE_EVERY_MS)
      this.#writeCache(this.#last.root);
  }

  #writeCache(root: FolderNode): void {
    this.#cache.write(root);
    this.#cacheWrittenAt = this.#options.now();
    this.#isCacheStale = false;
  }
}

const UNREADABLE_TREE = new Set<string>(['not_found', 'blob_not_found', 'store_corrupt', 'invalid_request']);

function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    throw new LonghaulError('not_found', `The workspace ${path} does not exist.`, { cause: error });
  }
}

async function loadAll(reader: TreeReader, folder: FolderNode): Promise<void> {
  for (const node of (await reader.children(folder)).values())
    if (node.kind === 'folder') await loadAll(reader, node);
}

function contentsOf(root: FolderNode | undefined): Map<string, readonly Place[]> {
  const found = new Map<string, readonly Place[]>();
  const open = root === undefined ? [] : [root];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    for (const node of folder.children?.values() ?? []) {
      if (node.kind === 'folder') open.push(node);
      else if (node.pieces.length > 0) found.set(node.hash, node.pieces);
    }
  }
  return found;
}

/** What is known of files that both trees have. */
function copyStats(from: FolderNode, to: FolderNode): void {
  for (const [name, node] of to.children ?? []) {
    const known = from.children?.get(name);
    if (node.kind === 'folder') {
      if (known?.kind === 'folder' && known !== node) copyStats(known, node);
    } else if (
      known !== undefined &&
      known.kind === node.kind &&
      known.hash === node.hash &&
      known.mode === node.mode
    ) {
      node.stat = known.stat;
    }
  }
}
