/** How a kind of sandbox is found and opened. */
export interface SandboxDriver {
  readonly kind: SandboxKind;
  /** Whether it can be used here and now, and if not, what to do. Says of an `image`, where there are any, whether it is here. Does not throw. */
  probe(options?: { image?: string }): Promise<SandboxProbe>;
  /**
   * Opens a sandbox around the workspace.
   *
   * @throws {LonghaulError} `sandbox_unavailable`, with what to do.
   */
  open(options: SandboxOptions): Promise<Sandbox>;
}

export type SandboxKind = 'docker' | 'bubblewrap' | 'local';

export type SandboxProbe =
  | { available: true; detail: string }
  | { available: false; reason: string; remedy: string };

export interface SandboxOptions {
  /** For labels, so that an orphan is found again. */
  sessionId: string;
  /** Absolute path of the workspace on this machine; it exists. */
  workspace: string;
  network: 'on' | 'off';
  memoryMb: number;
  pids: number;
  cpus: number;
  /** Environment of every command, beside what the driver needs itself. Nothing else of the host's environment is passed. */
  env: Readonly<Record<string, string>>;
  /** Image of the docker driver. */
  image: string;
  /**
   * Folders of programs on this machine, put first on the PATH of commands. Drivers that share the host's system folders mount them
   * read-only at their own path; a docker image brings its own programs, so docker ignores this.
   */
  programFolders: readonly string[];
  signal?: AbortSignal;
}

/**
 * A place where the agent's commands run. Disposing kills all that still runs in it and removes what it made outside the
 * workspace.
 */
export interface Sandbox extends AsyncDisposable {
  readonly kind: SandboxKind;
  /** The workspace's path as commands see it: `/workspace`, or the real path for `local`. */
  readonly workspacePath: string;
  /** One line for the system prompt and the terminal: `bubblewrap, network on`. */
  readonly description: string;
  /**
   * Runs a shell command (`bash` where there is one, else `sh`) and waits until it and all its descendants are gone. A command
   * that leaves a process behind has it killed when the command ends.
   *
   * A non-zero exit code, a timeout and an abort are results, not errors.
   *
   * @throws {LonghaulError} `sandbox_failed` when the command could not be started or the sandbox died; a further call may
   * work again.
   */
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
  readonly files: WorkspaceFiles;
}

export interface ExecOptions {
  /** Relative to the workspace. Default: the workspace. */
  cwd?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Default: empty. */
  stdin?: string;
  /** Output as it comes. While a returned promise is pending, the command is held back, not buffered. */
  onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void | Promise<void>;
}

export interface ExecResult {
  /** Absent when the command was killed by a signal, the timeout or the abort. */
  exitCode?: number;
  signal?: string;
  ended: 'exit' | 'timeout' | 'aborted';
  durationMs: number;
}

/**
 * The files of the workspace, and no others. Paths are relative to the workspace, or absolute below `workspacePath`. A path that
 * leaves it, directly or through a symbolic link at any place in it, is refused with `path_outside_workspace`, also when a process
 * swaps links at the same time.
 *
 * @throws {LonghaulError} `path_outside_workspace`, `not_found`, `invalid_request` (a folder where a file was expected, and
 * the like), `file_unreadable` (no permission to read), `store_full`, `store_readonly`.
 */
export interface WorkspaceFiles {
  /** Absolute path of the workspace on this machine, links resolved. */
  readonly root: string;
  /** The path relative to the workspace, normalised, after all checks; `''` is the workspace itself. */
  resolve(path: string): Promise<string>;
  stat(path: string): Promise<FileInfo | undefined>;
  /** Whole file, or bytes `[start, start + length)`. */
  read(path: string, range?: { start: number; length: number }): Promise<Uint8Array>;
  /** Writes the whole file, by a temporary file and a rename; keeps the mode of a file that was there. Makes missing folders. */
  write(path: string, data: Uint8Array | string): Promise<{ created: boolean }>;
  list(path: string): Promise<DirectoryEntry[]>;
}

export interface FileInfo {
  kind: 'file' | 'directory' | 'other';
  /** Bytes. */
  size: number;
  modifiedAt: number;
}

export interface DirectoryEntry {
  name: string;
  kind: 'file' | 'directory' | 'link' | 'other';
  /** Bytes; of files only. */
  size?: number;
}
