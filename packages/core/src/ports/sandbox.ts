import type { SharedFolder } from './workspace-copies.ts';

/** Detects and opens one kind of sandbox. */
export interface SandboxDriver {
  readonly kind: SandboxKind;
  /**
   * Checks whether the sandbox can be used now, and if not, returns the reason and a remedy. A driver with images also
   * checks whether `image` is present. Does not throw.
   */
  probe(options?: { image?: string }): Promise<SandboxProbe>;
  /**
   * Opens a sandbox around the workspace.
   *
   * @throws {LonghaulError} `sandbox_unavailable`, with a remedy.
   */
  open(options: SandboxOptions): Promise<Sandbox>;
  /**
   * Ends a command that another run has started with this driver, in any process: stops all of its processes, then
   * kills them. Resolves when they are gone, or with the reason why that cannot be known. Does not throw.
   */
  end(place: ProcessPlace): Promise<ProcessEnding>;
}

/** Where the processes of a command can be found, by any process on the same machine. */
export interface ProcessPlace {
  driver: SandboxKind;
  host: string;
  bootId: string;
  /** Value of `LONGHAUL_COMMAND` in the environment of the command's processes. Unique. */
  mark: string;
  /** The first process. Absent in a container. */
  leader?: {
    pid: number;
    /** In clock ticks since boot. */
    startedAt: string;
    /** The pid namespace in which `pid` is valid. */
    namespace: string;
  };
  /** Folders of the sandbox's cgroup: one, or one for each controller. */
  cgroups?: readonly string[];
  /** Name of the container. */
  container?: string;
}

/** `unknown`: the processes may still run. The reason says why, and where. */
export type ProcessEnding = { ended: 'killed' | 'gone' } | { ended: 'unknown'; reason: string };

/**
 * Stores where a command can be found. A driver calls it before the command can have an effect; if it rejects, the
 * command never starts. The returned function stores that all of the command's processes have ended.
 */
export type RecordProcess = (command: string, place: ProcessPlace) => Promise<() => Promise<void>>;

/** The name of a sandbox driver. */
export type SandboxKind = 'docker' | 'bubblewrap' | 'seatbelt' | 'local';

/** Whether a sandbox driver works on this machine, and otherwise what to do. */
export type SandboxProbe =
  | {
      available: true;
      detail: string;
      /** Limits and protections that the driver cannot enforce on this machine, one per entry. */
      gaps: readonly string[];
    }
  | { available: false; reason: string; remedy: string };

/** What a sandbox may reach and use. */
export interface SandboxOptions {
  /** Used as a label, so that an orphaned sandbox can be found. */
  sessionId: string;
  /** Absolute path of the workspace on this machine. It must exist. */
  workspace: string;
  network: 'on' | 'off';
  memoryMb: number;
  pids: number;
  cpus: number;
  /** Environment of every command, in addition to the driver's own variables. The host's environment is not passed. */
  env: Readonly<Record<string, string>>;
  /** Further variables, which the driver's own override. Default: none. */
  inherited?: Readonly<Record<string, string>>;
  /** Image of the docker driver. */
  image: string;
  /**
   * Folders with programs on this machine, for the commands' PATH. Drivers that share the host's system folders mount
   * them read-only at the same path, and they come first. In `local`, they come last. Docker ignores them, because an
   * image has its own programs.
   */
  programFolders: readonly string[];
  /**
   * Processes that commands leave running outlive the sandbox, unless `signal` is aborted. Only `local` can do that.
   * Default false.
   */
  keepProcesses?: boolean;
  /** Paths outside the workspace, with links resolved, that tools may not use, where they may use others. */
  refusedPaths?: readonly string[];
  /** The workspace is a copy below one of these paths, and tools may use it. Default false. */
  isCopy?: boolean;
  /**
   * Folders outside the workspace that appear in it. Sandboxes with file systems of their own mount them read-only. In
   * `local`, what is in the workspace itself is used.
   */
  sharedFolders?: readonly SharedFolder[];
  /** Absent: the commands are not recorded, and no other run can end them. */
  recordProcess?: RecordProcess;
  /** Aborted when the run is cancelled, also after the sandbox was opened. */
  signal?: AbortSignal;
}

/** What holds in a sandbox, for the system prompt. */
export interface SandboxRules {
  /** Which paths the file tools accept, such as `absolute paths elsewhere work too`. */
  files: string;
  /** How long processes live that a command leaves running. */
  processes: string;
}

/**
 * Runs the agent's commands. Disposing kills all running processes in it and removes everything it created outside the
 * workspace.
 */
export interface Sandbox extends AsyncDisposable {
  readonly kind: SandboxKind;
  /** Path of the workspace for commands: `/workspace`, or the real path for `local`. */
  readonly workspacePath: string;
  /** One line for the system prompt and the terminal, such as `bubblewrap, network on`. */
  readonly description: string;
  /** Operating system and shell of the commands, such as `Linux x64, bash`. Absent: nothing is known. */
  readonly platform?: string;
  /** Absent: nothing is known. */
  readonly rules?: SandboxRules;
  /**
   * Runs a shell command (with `bash` if it exists, otherwise `sh`) and waits until it has ended. Background processes
   * are killed when the command ends. In `local`, they live until the sandbox is disposed, and are killed if the
   * command times out or is aborted.
   *
   * A non-zero exit code, a timeout and an abort are results, not errors.
   *
   * @throws {LonghaulError} `sandbox_failed` if the command could not be started or the sandbox died. A later call may
   * succeed.
   */
  exec(command: string, options: ExecOptions): Promise<ExecResult>;
  /**
   * Starts a shell command with an open standard input and does not wait for its end. It runs until it ends by itself,
   * is stopped or aborted, or the sandbox is disposed. What it leaves running ends with it. Commands can reach what it
   * serves on `127.0.0.1`, also without a network.
   *
   * @throws {LonghaulError} `sandbox_failed` if the command could not be started; `cancelled` if `signal` is aborted.
   */
  start(command: string, options: ProcessOptions): Promise<SandboxProcess>;
  /** Absent: all commands end with the sandbox. */
  readonly kept?: KeptCommands;
  /** The files of the workspace, and no others. */
  readonly files: WorkspaceFiles;
  /** The files that the model's tools can use: `files`, or more. */
  readonly toolFiles: WorkspaceFiles;
}

/** How a command runs in a sandbox. */
export interface ExecOptions {
  /** A path of `toolFiles`. Default: the workspace. */
  cwd?: string;
  timeoutMs: number;
  signal?: AbortSignal;
  /** Default: empty. */
  stdin?: string;
  /**
   * Called with output as it arrives. While a returned promise is pending, no more output is read, so the command
   * blocks.
   */
  onOutput: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void | Promise<void>;
}

/** How a command runs beside others. */
export type ProcessOptions = Omit<ExecOptions, 'timeoutMs' | 'stdin'>;

/** A command that runs beside other commands. */
export interface SandboxProcess {
  /**
   * Queues data for the standard input.
   *
   * @throws {LonghaulError} `invalid_request` if the input is closed, if the command has ended, or if it leaves more than
   * 1 MiB unread. Nothing is written then.
   */
  write(data: Uint8Array | string): void;
  /** Ends the standard input. Has no effect if it has ended. */
  closeInput(): void;
  /**
   * Sends SIGTERM to all processes of the command, and SIGKILL one second later. Settles as `ended` does. Can be called
   * more than once.
   */
  stop(): Promise<ExecResult>;
  /**
   * Settles when no process of the command is left and all output was passed on. Rejects with `sandbox_failed` if the
   * sandbox died, or with the error of `onOutput`.
   */
  readonly ended: Promise<ExecResult>;
}

/** Commands that outlive the sandbox and this process, without input. */
export interface KeptCommands {
  /**
   * Starts a command and returns where it can be found, as it was recorded.
   *
   * @throws {LonghaulError} As `Sandbox.start`.
   */
  start(command: string, options: { cwd?: string | undefined }): Promise<ProcessPlace>;
  /**
   * Follows a command that this sandbox, or one before it, has started, from the oldest output that is kept. Returns
   * undefined if it has ended and nothing is left of it, or if it cannot be seen from here. When the sandbox is disposed,
   * nobody follows the command any more, and `ended` does not settle.
   */
  follow(place: ProcessPlace, options: Pick<ProcessOptions, 'onOutput'>): Promise<SandboxProcess | undefined>;
}

/** How a command ended. Its output was passed on while it ran. */
export interface ExecResult {
  /** Absent if the command was killed by a signal, the timeout or the abort. */
  exitCode?: number;
  signal?: string;
  ended: 'exit' | 'timeout' | 'aborted';
  durationMs: number;
  /** How many processes the command has left running. Absent: none. */
  leftRunning?: number;
}

/**
 * Accesses the files of the workspace only, except as `toolFiles` of `local`. Paths are relative to the workspace, or
 * absolute below `workspacePath`. A path that leads out of the workspace, directly or through a symbolic link anywhere
 * in the path, is refused with `path_outside_workspace`, even if a process replaces links at the same time.
 *
 * @throws {LonghaulError} `path_outside_workspace`, `not_found`, `invalid_request` (for example a folder instead of a
 * file), `file_unreadable` (no permission to read), `store_full`, `store_readonly`.
 */
export interface WorkspaceFiles {
  /** Absolute path of the workspace on this machine, with links resolved. */
  readonly root: string;
  /**
   * Checks a path and returns it normalised and relative to the workspace. `''` is the workspace itself. A path outside
   * the workspace, where that is allowed, stays absolute.
   */
  resolve(path: string): Promise<string>;
  stat(path: string): Promise<FileInfo | undefined>;
  /** Reads the whole file, or bytes `[start, start + length)`. */
  read(path: string, range?: { start: number; length: number }): Promise<Uint8Array>;
  /**
   * Writes the whole file with a temporary file and a rename. Keeps the mode of an existing file. Creates missing
   * folders.
   */
  write(path: string, data: Uint8Array | string): Promise<{ created: boolean }>;
  list(path: string): Promise<DirectoryEntry[]>;
  /**
   * Returns the files below a folder outside the workspace, with paths relative to that folder. Absent: no path outside
   * is allowed.
   *
   * @param folder As `resolve` returns it.
   */
  elsewhere?(folder: string): WorkspaceFiles;
}

/** A file, a directory or something else in a sandbox. */
export interface FileInfo {
  kind: 'file' | 'directory' | 'other';
  /** Bytes. */
  size: number;
  modifiedAt: number;
}

/** An entry of a directory in a sandbox. */
export interface DirectoryEntry {
  name: string;
  kind: 'file' | 'directory' | 'link' | 'other';
  /** Bytes. Present for files only. */
  size?: number;
}
