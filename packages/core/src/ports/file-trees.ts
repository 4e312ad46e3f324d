import type { FileChange } from '@longhaul/protocol';
import type { MergedFiles, MergeRequest } from './merged-files.ts';
import type { WorkspaceCopies } from './workspace-copies.ts';

/** Stores states of a workspace's files as trees, and gives them back. Trees are references (`@tree:…`). */
export interface FileTrees {
  /** Copies of workspaces, in which sessions work apart from one another. */
  readonly copies: WorkspaceCopies;
  /**
   * Opens a recorder of a workspace.
   *
   * @param workspace Absolute path of a folder.
   * @param tree The tree that was recorded last. Undefined, or one that cannot be read: the next record is the first.
   */
  openRecorder(workspace: string, tree: string | undefined): Promise<FileRecorder>;
  /**
   * Returns what differs between two trees.
   *
   * @param options.limit Maximum number of files in the result. Default 1,000.
   * @throws {LonghaulError} `not_found`, `store_corrupt` if a tree cannot be read.
   */
  changes(before: string, after: string, options?: { limit?: number }): Promise<ChangedFiles>;
  /**
   * Returns the difference as a unified diff that `git apply` accepts, in pieces. Throws the errors of `changes`.
   *
   * @param options.except Paths of files that are left out, as `changes` returns them.
   * @param options.binary `note`: for a file that is not text, one line says that it differs. Default: a patch.
   */
  diff(before: string, after: string, options?: DiffOptions): AsyncIterable<string>;
  /**
   * Joins the changes of two states into a new tree. Changes no workspace: `FileRecorder.restore` writes the tree.
   * Throws the errors of `changes` and of the blob store.
   */
  merge(request: MergeRequest): Promise<MergedFiles>;
  /**
   * Writes a tree into a folder, which must be missing or empty.
   *
   * @throws {LonghaulError} `invalid_request` if the folder has files; `store_full`; the errors of `changes`.
   */
  materialise(tree: string, folder: string): Promise<Restored>;
  /**
   * Lists one folder of a tree, in the order of the names. `path` is relative, '' for the workspace itself.
   *
   * @throws {LonghaulError} `not_found` if the tree has no such folder; the errors of `changes`.
   */
  list(tree: string, path: string): Promise<TreeEntry[]>;
  /**
   * Returns the content of a file of a tree.
   *
   * @throws {LonghaulError} `not_found` if the tree has no such file; `invalid_request` if its content is not recorded, or
   * has more than `maxBytes`; the errors of `changes`.
   */
  read(tree: string, path: string, options: { maxBytes: number }): Promise<Uint8Array>;
  /**
   * Returns the blobs that trees need. Trees that cannot be read are in the result. Throws other errors of the blobs.
   */
  packsOf(trees: Iterable<string>): Promise<TreeBlobs>;
}

/** What a diff leaves out, and how it shows files that are not text. */
export interface DiffOptions {
  except?: ReadonlySet<string>;
  binary?: 'patch' | 'note';
}

/** An entry of a folder in a tree. */
export interface TreeEntry {
  /** Bytes that are not valid UTF-8 are shown as U+FFFD. */
  name: string;
  /** Of the last three, no content is recorded. */
  kind: 'file' | 'folder' | 'link' | 'secret' | 'large' | 'unreadable';
  /** Bytes. Absent for folders and secrets. */
  size?: number;
}

/** The blobs of recorded trees. */
export interface TreeBlobs {
  packs: ReadonlySet<string>;
  /** Trees that could not be read to the end. Blobs that they need can be missing in `packs`. */
  broken: readonly string[];
}

/** Records and restores the files of one workspace. Disposing does not throw. */
export interface FileRecorder extends AsyncDisposable {
  /**
   * Compares the workspace with the tree that was recorded last, and stores what has changed. Returns undefined if
   * nothing has. Calls run one after another.
   *
   * @throws {LonghaulError} `store_full`, `store_readonly`, `store_unavailable`, `not_found` if the workspace is gone.
   * Nothing counts as recorded then, so the next call finds the same changes.
   */
  record(): Promise<RecordedChange | undefined>;
  /**
   * Changes the workspace from the tree that was recorded last to another one. Files that are ignored, secret or too
   * large are never written or deleted, and neither is a file that has changed since the last record. Can be repeated
   * after a kill.
   *
   * @param options.except Paths that are left as they are.
   * @throws {LonghaulError} As `record` and `FileTrees.changes`.
   */
  restore(tree: string, options?: { except?: ReadonlySet<string> }): Promise<Restored>;
}

/** The files that differ between two recorded states. */
export interface ChangedFiles {
  /** The first changed files, in the order of their paths. */
  files: FileChange[];
  /** Number of changed files that are not in `files`. */
  more?: number | undefined;
}

/** A change of the workspace. */
export interface RecordedChange extends ChangedFiles {
  /** Absent for the first record of a workspace. `files` is then empty. */
  before?: string | undefined;
  after: string;
}

/** What restoring a recorded state has changed in the workspace. */
export interface Restored extends ChangedFiles {
  /** Whether anything was written or deleted. New folders and modes of folders are not in `files`. */
  touched: boolean;
  /** Files that were left as they are, with the reason. */
  skipped: { path: string; reason: string }[];
}
