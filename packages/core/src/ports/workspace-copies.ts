/** Copies of workspaces, in which sessions work apart from one another. A copy is named by the id of its session. */
export interface WorkspaceCopies {
  /**
   * Returns the copy with this id. Makes it if there is none, or if a killed process has left it incomplete. Do not call
   * it twice at a time for one id.
   *
   * @throws {LonghaulError} As `FileTrees.materialise` and `FileRecorder.record`.
   */
  make(id: string, source: CopySource): Promise<WorkspaceCopy>;
  /**
   * Makes a copy again that another machine has, with the files of a tree. What this machine has of it is removed.
   *
   * @throws {LonghaulError} `config_invalid` if copies are in another folder here; as `FileTrees.materialise`.
   */
  restore(id: string, copy: WorkspaceCopy, tree: string): Promise<WorkspaceCopy>;
  /** Returns a complete copy. */
  find(id: string): Promise<WorkspaceCopy | undefined>;
  /** Removes a copy with everything in it, if there is one. */
  remove(id: string): Promise<void>;
  /**
   * Removes copies that nobody needs and that were made more than a day ago, and what killed processes have left of
   * others. Returns the ids.
   */
  sweep(isNeeded: (id: string) => Promise<boolean>, options?: { now?: () => number }): Promise<string[]>;
}

/** A workspace that is copied for a child session. */
export interface CopySource {
  /** Absolute path of the workspace. */
  workspace: string;
  /** Its state that is copied. */
  tree: string;
}

/** The copied workspace of a child session. */
export interface WorkspaceCopy {
  /** Absolute path of the folder with the files. */
  workspace: string;
  /** Absolute path of the copied workspace. */
  original: string;
  /** Names the folder of this machine, as it is since it was made. */
  place: string;
  /** The state of the new copy: what a merge starts from. */
  tree: string;
  /** Folders that the copy uses without containing them. */
  shared: SharedFolder[];
  /** Files that are not in the copy. */
  left: { path: string; reason: string }[];
}

/** A folder outside a workspace that appears in it. Programs should only read it. */
export interface SharedFolder {
  /** Absolute path of the folder. */
  from: string;
  /** Where it appears, relative to the workspace. */
  to: string;
  /** Its inode when it was shared. Another folder in its place is not the shared one. */
  inode: string;
}
