import { fchmodSync, mkdirSync, rmdirSync, unlinkSync } from 'node:fs';
import type { Restored } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import type { LeafChange } from '../diff/compare-trees.ts';
import { describeChanges } from '../diff/file-changes.ts';
import { joinPath, showBytes } from '../format/names.ts';
import { type FolderNode, isRestorable, isSameNode, type LeafNode, type TreeNode } from '../format/node.ts';
import type { TreeReader } from '../format/tree.ts';
import { UNRECORDED, unrecordedKind } from '../format/unrecorded.ts';
import type { FileRules } from '../walk/file-rules.ts';
import { isGone, type OpenFolder, systemCode } from '../walk/open-folder.ts';
import { ActualEntry } from './actual-entry.ts';
import { prepareEntry, removeLeftovers } from './write-entry.ts';

export interface RestoreOptions {
  folder: OpenFolder;
  reader: TreeReader;
  /** What the workspace should be now. Undefined: nothing. */
  from: FolderNode | undefined;
  to: FolderNode;
  rules: FileRules;
  /** Shown paths that are left as they are. */
  except?: ReadonlySet<string>;
  passed: (step: 'entry-checked' | 'entry-restored', path: string) => void;
}

/**
 * Changes a workspace from one tree to another. An entry is written or deleted only if it is as in `from`, or missing;
 * one that is as in `to` counts as done. So it can be repeated after a kill at any moment.
 */
export async function restoreTree(options: RestoreOptions): Promise<Restored> {
  const { folder, reader, from, to } = options;
  const restoring = new Restoring(options);
  await restoring.children(folder, '', from, to);
  restoring.done.sort((a, b) => (a.path < b.path ? -1 : 1));
  restoring.skipped.sort((a, b) => (a.path < b.path ? -1 : 1));
  const { done, skipped, touched } = restoring;
  return { ...(await describeChanges(reader, done)), skipped, touched };
}

const REASONS = {
  ...UNRECORDED,
  changed: 'it has changed since it was recorded last',
  occupied: 'something that is not recorded is in its place',
  moved: 'its folder has been replaced',
  notEmpty: 'a folder with files that are not recorded is in its place',
  denied: 'it cannot be written or deleted: permission denied',
} as const;

type Reason = keyof typeof REASONS;

const NONE: ReadonlyMap<string, TreeNode> = new Map();

class Restoring {
  readonly done: LeafChange[] = [];
  readonly skipped: Restored['skipped'] = [];
  touched = false;
  readonly #options: RestoreOptions;

  constructor(options: RestoreOptions) {
    this.#options = options;
  }

  async children(
    open: OpenFolder,
    path: string,
    from: FolderNode | undefined,
    to: FolderNode | undefined,
  ): Promise<void> {
    const { reader } = this.#options;
    removeLeftovers(open);
    const old = from === undefined ? NONE : await reader.children(from);
    const now = to === undefined ? NONE : await reader.children(to);
    const gone = [...old.keys()].filter((name) => !now.has(name));
    // What is deleted makes room for what is written.
    for (const name of [...gone, ...now.keys()]) {
      const [before, after] = [old.get(name), now.get(name)];
      if (!isSameNode(before, after))
        await this.#entry({ open, name, path: joinPath(path, name) }, before, after);
    }
  }

  async #entry(place: Place, before: TreeNode | undefined, after: TreeNode | undefined): Promise<void> {
    try {
      // What is in the folder now was not known then.
      if (before?.kind === 'folder' && after?.kind === 'unreadable') this.#skip(place.path, 'unreadable');
      else if (after?.kind === 'folder') await this.#toFolder(place, before, after);
      else if (before?.kind === 'folder') await this.#fromFolder(place, before, after);
      else await this.#leaf(place, before, after);
    } catch (error) {
      const code = systemCode(error) ?? '';
      if (isGone(error)) this.#skip(place.path, 'moved');
      else if (code === 'EACCES' || code === 'EPERM') this.#skip(place.path, 'denied');
      else throw writeError(error, place.path);
    }
  }

  async #toFolder(place: Place, before: TreeNode | undefined, after: FolderNode): Promise<void> {
    const { open, name, path } = place;
    const former = before?.kind === 'folder' ? before : undefined;
    if (before !== undefined && before.kind !== 'folder' && !open.entry(name)?.isDirectory()) {
      if (!(await this.#leaf(place, before, undefined))) return;
    }
    const isNew = makeFolder(open, name);
    this.touched ||= isNew;
    if (!open.entry(name)?.isDirectory()) return this.#skip(path, 'occupied');
    using child = open.openChild(name);
    const mode = Number(child.info().mode & 0o777n);
    // Entries of a folder that its owner may not write to can be restored too.
    if ((mode & 0o300) !== 0o300) fchmodSync(child.fd, mode | 0o700);
    await this.children(child, path, former, after);
    const wanted = isNew || former?.mode !== after.mode ? after.mode : mode;
    this.touched ||= wanted !== mode;
    if (Number(child.info().mode & 0o777n) !== wanted) fchmodSync(child.fd, wanted);
  }

  /** A folder of which only entries that are not recorded remain is kept. */
  async #fromFolder(place: Place, before: FolderNode, after: LeafNode | undefined): Promise<void> {
    const { open, name, path } = place;
    const info = open.entry(name);
    if (info?.isDirectory()) {
      using child = open.openChild(name);
      const mode = Number(info.mode & 0o777n);
      if ((mode & 0o300) !== 0o300) fchmodSync(child.fd, mode | 0o700);
      await this.children(child, path, before, undefined);
      if (!removeFolder(open, name)) {
        if ((mode & 0o300) !== 0o300) fchmodSync(child.fd, mode);
        if (after !== undefined) this.#skip(path, 'notEmpty');
        return;
      }
      this.touched = true;
    }
    if (after !== undefined) await this.#leaf(place, undefined, after);
  }

  /** Returns whether the entry is as wanted afterwards. */
  async #leaf(place: Place, before: LeafNode | undefined, after: LeafNode | undefined): Promise<boolean> {
    const { open, name, path } = place;
    if (this.#options.except?.has(showBytes(path))) return false;
    const change = { path, before, after };
    const actual = new ActualEntry(open, name, this.#options.rules);
    const isDone = after === undefined ? actual.info === undefined : actual.matches(after);
    if (isDone) {
      this.done.push(change);
      return true;
    }
    const reason = this.#reasonAgainst(change, actual);
    if (reason !== undefined) {
      this.#skip(path, reason);
      return false;
    }
    const isReplaced =
      after === undefined ? this.#delete(place, actual) : await this.#write(place, actual, after);
    if (!isReplaced) {
      this.#skip(path, 'changed');
      return false;
    }
    this.done.push(change);
    this.touched = true;
    this.#options.passed('entry-restored', path);
    return true;
  }

  #reasonAgainst({ path, before, after }: LeafChange, actual: ActualEntry): Reason | undefined {
    if (after !== undefined && !isRestorable(after)) return unrecordedKind(after);
    if (before !== undefined && !isRestorable(before)) return unrecordedKind(before);
    if (after?.kind !== 'link' && before?.kind !== 'link' && this.#options.rules.isSecret(path))
      return 'secret';
    if (actual.info === undefined) return undefined;
    if (before === undefined) return 'occupied';
    return actual.matches(before) ? undefined : 'changed';
  }

  #delete({ open, name, path }: Place, actual: ActualEntry): boolean {
    this.#options.passed('entry-checked', path);
    if (!actual.isCurrent()) return false;
    unlinkSync(open.path(name));
    return true;
  }

  async #write({ open, name, path }: Place, actual: ActualEntry, node: LeafNode): Promise<boolean> {
    const content = await this.#options.reader.contentOf(node);
    using prepared = prepareEntry(open, name, { node, content, replaced: actual.info });
    this.#options.passed('entry-checked', path);
    if (!actual.isCurrent()) return false;
    prepared.putInPlace();
    return true;
  }

  #skip(path: string, reason: Reason): void {
    this.skipped.push({ path: showBytes(path), reason: REASONS[reason] });
  }
}

interface Place {
  open: OpenFolder;
  name: string;
  path: string;
}

/** Returns whether it was made. */
function makeFolder(open: OpenFolder, name: string): boolean {
  try {
    mkdirSync(open.path(name), { mode: 0o700 });
    return true;
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Returns whether it was empty. */
function removeFolder(open: OpenFolder, name: string): boolean {
  try {
    rmdirSync(open.path(name));
    return true;
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'EBUSY') return false;
    throw error;
  }
}

function writeError(error: unknown, path: string): unknown {
  const code = systemCode(error);
  const name = JSON.stringify(showBytes(path));
  if (code === 'ENOSPC' || code === 'EDQUOT')
    return new LonghaulError(
      'store_full',
      `No space is left to restore ${name}. Free some space and try again.`,
      {
        cause: error,
      },
    );
  if (code === 'EROFS')
    return new LonghaulError('store_readonly', `${name} cannot be restored: the file system is read-only.`, {
      cause: error,
    });
  return error;
}
