import { createHash } from 'node:crypto';
import type { MergeConflict, MergeConflictReason, MergedFiles, MergeRequest } from '@longhaul/core';
import { treeReference } from '@longhaul/protocol';
import type { ContentDiffer } from '../diff/content-differ.ts';
import { changedFiles } from '../diff/file-changes.ts';
import { nodeAt } from '../format/look-up.ts';
import { showBytes, toBytes } from '../format/names.ts';
import type { FolderNode, LeafNode, Place } from '../format/node.ts';
import { PIECE_BYTES } from '../format/pack-source.ts';
import type { TreeReader } from '../format/tree.ts';
import { UNRECORDED } from '../format/unrecorded.ts';
import { PackQueue, type PutPack } from '../record/pack-queue.ts';
import { storeTree } from '../record/store-folders.ts';
import { folderEdits } from './folder-edits.ts';
import { type LeafMerge, mergeLeaf } from './merge-leaf.ts';
import { conflictMessage } from './merge-messages.ts';
import { type MergeCase, mergeCases } from './renamed-files.ts';
import { TreeEdits } from './tree-edits.ts';

export interface MergeTreesOptions {
  reader: TreeReader;
  differ: ContentDiffer;
  put: PutPack;
}

/** As `FileTrees.merge`. */
export async function mergeTrees(request: MergeRequest, options: MergeTreesOptions): Promise<MergedFiles> {
  const { reader } = options;
  const [base, theirs, ours] = await Promise.all(
    [request.base, request.theirs, request.ours].map((tree) => reader.open(tree)),
  );
  if (base === undefined || theirs === undefined || ours === undefined)
    throw new Error('Three trees make three.');
  return new Merge(request, { ...options, base, theirs, ours }).run();
}

type Trees = Record<'base' | 'theirs' | 'ours', FolderNode>;

class Merge {
  readonly #request: MergeRequest;
  readonly #options: MergeTreesOptions & Trees;
  readonly #packs: PackQueue;
  readonly #edits = new TreeEdits();
  readonly #conflicts: MergeConflict[] = [];
  readonly #left: MergedFiles['left'] = [];

  constructor(request: MergeRequest, options: MergeTreesOptions & Trees) {
    this.#request = request;
    this.#options = options;
    this.#packs = new PackQueue(options.put);
  }

  async run(): Promise<MergedFiles> {
    const { reader, base, theirs, ours } = this.#options;
    for (const found of await mergeCases(reader, { base, theirs, ours })) await this.#case(found);
    for (const { path, edit } of await folderEdits(reader, base, theirs)) this.#edits.folder(path, edit);
    const merged = await this.#edits.applyTo(reader, ours);
    const known = new Set(this.#conflicts.map(({ path }) => toBytes(path)));
    for (const path of this.#edits.collisions) if (!known.has(path)) this.#conflict(path, 'kind');
    return this.#finish(merged);
  }

  async #case(found: MergeCase): Promise<void> {
    const { reader, differ, ours } = this.#options;
    const { from, to, isMovedApart } = found;
    if (isMovedApart) return this.#conflict(to, 'renamed');
    if (from !== to && (await nodeAt(reader, ours, to)) !== undefined) return this.#conflict(to, 'added');
    const result = await mergeLeaf(found, {
      read: (node) => reader.contentOf(node),
      merge: (contents) => differ.merge(contents, this.#request.labels),
    });
    await this.#take(found, result);
  }

  async #take({ from, to, ours }: MergeCase, result: LeafMerge): Promise<void> {
    if ('left' in result)
      return void this.#left.push({ path: showBytes(to), reason: UNRECORDED[result.left] });
    if ('conflict' in result) return this.#conflict(to, result.conflict);
    if ('text' in result && result.text.conflicts.length > 0) {
      this.#conflict(to, 'lines', result.text.conflicts);
      if (this.#request.conflicts === 'refuse') return;
    }
    const merged = 'text' in result ? await this.#store(result.text.text, result.mode) : result.merged;
    if (merged === undefined || from !== to) this.#edits.delete(from);
    if (merged !== undefined && (from !== to || merged !== ours)) this.#edits.write(to, merged);
  }

  /** Adds a new content to the packs. */
  async #store(text: string, mode: number): Promise<LeafNode> {
    const content = Buffer.from(text);
    const pieces: Place[] = [];
    for (let at = 0; at < content.length; at += PIECE_BYTES)
      pieces.push(this.#packs.add(content.subarray(at, at + PIECE_BYTES)));
    if (this.#packs.isFull) await this.#packs.flush();
    const hash = createHash('sha256').update(content).digest('binary');
    return { kind: 'file', mode, size: content.length, hash, pieces };
  }

  #conflict(path: string, reason: MergeConflictReason, lines?: MergeConflict['lines']): void {
    const message = conflictMessage(reason);
    this.#conflicts.push({ path: showBytes(path), reason, message, ...(lines && { lines }) });
  }

  async #finish(merged: FolderNode): Promise<MergedFiles> {
    const { reader, ours } = this.#options;
    const conflicts = this.#conflicts.sort((a, b) => (a.path < b.path ? -1 : 1));
    const found = { conflicts, left: this.#left };
    if (conflicts.length > 0 && this.#request.conflicts === 'refuse')
      return { ...found, tree: undefined, files: [] };
    if (merged === ours) return { ...found, tree: this.#request.ours, files: [] };
    const tree = treeReference(await storeTree(merged, ours, this.#packs));
    return {
      ...found,
      tree,
      ...(await changedFiles(reader, ours, merged, { differ: this.#options.differ })),
    };
  }
}
