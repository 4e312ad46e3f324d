import type { Session, WorkspaceSource } from '@longhaul/protocol';

/** Folders of sessions that can move between machines: each session has one of its own, which any machine can make. */
export interface MovingWorkspaces {
  /**
   * Returns where the folder of a session is, which does not exist yet. It is the same on all machines where Longhaul's
   * data folder has the same path.
   */
  folderOf(sessionId: string, source: WorkspaceSource): Promise<string>;
  /** Records the files of a folder, so that a session can begin with them. Returns the tree. */
  record(folder: string): Promise<string>;
  /**
   * Puts the session's folder in place on this machine. Call it at the start of a run, before anything works there.
   *
   * @throws {LonghaulError} `config_invalid` if another folder of the machine would be replaced; `invalid_request` if git
   * cannot clone; the errors of `FileTrees.materialise`.
   */
  settle(request: SettleRequest): Promise<SettledWorkspace>;
}

/** A session whose files are needed on this machine. */
export interface SettleRequest {
  session: Pick<Session, 'id' | 'workspace'>;
  source: WorkspaceSource;
  /** The newest recorded state. Undefined: nothing was recorded yet. */
  tree: string | undefined;
  /** Where the repository was when the session began. Undefined: it begins now. */
  commit: string | undefined;
  /** What the last call for this session returned, on any machine. Undefined: it is the first. */
  place: string | undefined;
  signal: AbortSignal;
}

/** The folder in which this machine continues a session. */
export interface SettledWorkspace {
  /** Names the folder of this machine, as it is since it was made. */
  place: string;
  /** The name of this machine. */
  machine: string;
  /** Whether the folder was made now. */
  isNew: boolean;
  /** Recorded files that could not be restored. */
  left: readonly { path: string; reason: string }[];
}
