import { hashChildren } from '../format/folder-object.ts';
import { joinPath } from '../format/names.ts';
import { type FolderNode, isSameNode, type LeafNode, type TreeNode } from '../format/node.ts';
import { byName, rootFolder, type TreeReader } from '../format/tree.ts';

/** What happens to one name of a tree. */
interface Edit {
  /** The entry that is written. Null: the entry is deleted if it is no folder. */
  leaf?: LeafNode | null;
  folder?: FolderEdit;
  readonly below: Map<string, Edit>;
}

/** A folder of `theirs` that is new, has another mode or is gone. */
export type FolderEdit =
  | { kind: 'make'; mode: number }
  | { kind: 'mode'; from: number; to: number }
  /** If nothing is left in it. */
  | { kind: 'remove' };

const NEW_FOLDER_MODE = 0o755;

/** Collects changes of a tree, and applies them together. Paths are byte strings. */
export class TreeEdits {
  readonly #root: Edit = { below: new Map() };
  /** Paths at which a file is in the place of a folder, or a folder in the place of a file. */
  readonly collisions = new Set<string>();

  write(path: string, leaf: LeafNode): void {
    this.#at(path).leaf = leaf;
  }

  delete(path: string): void {
    // One edit may move an entry to where another one deletes something.
    this.#at(path).leaf ??= null;
  }

  folder(path: string, edit: FolderEdit): void {
    this.#at(path).folder = edit;
  }

  /** Returns a new tree. Folders that do not change are those of `tree`, and new ones have no place yet. */
  async applyTo(reader: TreeReader, tree: FolderNode): Promise<FolderNode> {
    const children = await this.#children(reader, { edit: this.#root, old: tree, path: '' });
    return children === undefined ? tree : rootFolder(children, { place: undefined, deltas: 0 });
  }

  #at(path: string): Edit {
    let edit = this.#root;
    for (const name of path.split('/')) {
      const known = edit.below.get(name) ?? { below: new Map() };
      edit.below.set(name, known);
      edit = known;
    }
    return edit;
  }

  /** Returns undefined if nothing changes. */
  async #children(
    reader: TreeReader,
    { edit, old, path }: { edit: Edit; old: FolderNode | undefined; path: string },
  ): Promise<Map<string, TreeNode> | undefined> {
    const children = new Map(old === undefined ? [] : await reader.children(old));
    let isSame = true;
    for (const [name, below] of edit.below) {
      const known = children.get(name);
      const now = await this.#entry(reader, below, { known, path: joinPath(path, name) });
      if (isSameNode(now, known)) continue;
      isSame = false;
      if (now === undefined) children.delete(name);
      else children.set(name, now);
    }
    return isSame ? undefined : new Map([...children].sort(byName));
  }

  async #entry(
    reader: TreeReader,
    edit: Edit,
    { known, path }: { known: TreeNode | undefined; path: string },
  ): Promise<TreeNode | undefined> {
    if (known !== undefined && known.kind !== 'folder') {
      if (edit.leaf !== undefined && edit.leaf !== null) return edit.leaf;
      if (edit.leaf === undefined) {
        if (makesSomething(edit)) this.collisions.add(path);
        return known;
      }
    }
    const old = known?.kind === 'folder' ? known : undefined;
    const folder = await this.#folder(reader, edit, { old, path });
    if (edit.leaf === undefined || edit.leaf === null) return folder;
    if (folder !== undefined) this.collisions.add(path);
    return folder ?? edit.leaf;
  }

  /** Undefined: there is none, or no longer one. */
  async #folder(
    reader: TreeReader,
    edit: Edit,
    { old, path }: { old: FolderNode | undefined; path: string },
  ): Promise<FolderNode | undefined> {
    const changed = await this.#children(reader, { edit, old, path });
    const children = changed ?? old?.children ?? new Map<string, TreeNode>();
    const isWanted = edit.folder?.kind === 'make' || (old !== undefined && edit.folder?.kind !== 'remove');
    if (children.size === 0 && !isWanted) return undefined;
    const mode = modeOf(edit.folder, old);
    if (old !== undefined && changed === undefined && mode === old.mode) return old;
    if (old !== undefined && changed === undefined) return { ...old, mode };
    return { kind: 'folder', mode, hash: hashChildren(children), place: undefined, deltas: 0, children };
  }
}

function modeOf(edit: FolderEdit | undefined, old: FolderNode | undefined): number {
  if (old === undefined) return edit?.kind === 'make' ? edit.mode : NEW_FOLDER_MODE;
  return edit?.kind === 'mode' && old.mode === edit.from ? edit.to : old.mode;
}

function makesSomething({ folder, below }: Edit): boolean {
  if (folder?.kind === 'make') return true;
  return [...below.values()].some(
    (edit) => (edit.leaf !== undefined && edit.leaf !== null) || makesSomething(edit),
  );
}
