/**
 * The nodes of a tree. Names, link targets and hashes are byte strings: each character is one byte, so names that are
 * not valid UTF-8 keep their bytes, and the order of strings is the order of bytes.
 */
export type TreeNode = LeafNode | FolderNode;

/** Values are stored. */
export const LEAF_KINDS = {
  file: 1,
  link: 2,
  /** Known by a keyed hash only. */
  secret: 3,
  /** Known by size and hash only. */
  large: 4,
  /** A file or folder that this user may not read. */
  unreadable: 5,
} as const;

export type LeafKind = keyof typeof LEAF_KINDS;

export interface LeafNode {
  readonly kind: LeafKind;
  /** Permission bits, at most `0o777`. 0 for a link. */
  readonly mode: number;
  /** Bytes of the content; 0 if only a hash may be known. */
  readonly size: number;
  /** SHA-256 of the content; for a link, of its target; for a secret, an HMAC; for an unreadable entry, zeros. */
  readonly hash: string;
  /** Where the content is. Empty if there is no content, or if it is not stored. */
  readonly pieces: readonly Place[];
  /** Belongs to the workspace, not to the tree: what the file system said when the content had this hash. */
  stat?: FileStat | undefined;
}

export interface FolderNode {
  readonly kind: 'folder';
  readonly mode: number;
  /** SHA-256 of the entries, independent of places. */
  readonly hash: string;
  /** Where its object is. Undefined until it is stored. */
  place: Place | undefined;
  /** Number of objects below the stored one that a reader needs. */
  deltas: number;
  /** In the order of names. Undefined until they are read. */
  children: ReadonlyMap<string, TreeNode> | undefined;
}

/** An object in a pack. */
export interface Place {
  readonly pack: PackId;
  readonly offset: number;
  readonly length: number;
}

/** The blob that is a pack. A pack that is being filled has no id yet. */
export interface PackId {
  id: string | undefined;
}

export interface FileStat {
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  readonly ino: bigint;
  readonly mode: bigint;
  /** False: the file could have changed later without a trace in these values. */
  readonly isSettled: boolean;
}

export const HASH_BYTES = 32;
export const NO_HASH = '\0'.repeat(HASH_BYTES);

/** Whether the content is stored. */
export function isRestorable(node: LeafNode): boolean {
  return node.kind === 'file' || node.kind === 'link';
}

export function isSameNode(a: TreeNode | undefined, b: TreeNode | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined) return false;
  return a.kind === b.kind && a.mode === b.mode && a.hash === b.hash;
}
